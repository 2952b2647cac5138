// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

// Importers of text against any input (libFuzzer). The first line of an input names the format, the
// rest are its files, with a line "---" between two of them.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/import/importer.hpp"
#include "core/profile/format/profile_codec.hpp"

namespace {

using namespace commmap;

void require(bool holds, const char* what, const std::string& text) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", what, text.c_str());
    std::abort();
}

const ImportFormat* format_called(std::string_view name) {
    for (const ImportFormat& format : import_format_table())
        if (format.read != nullptr && format.name == name) return &format;
    return nullptr;
}

std::vector<ImportFile> files_of(std::string_view text) {
    constexpr std::string_view between = "\n---\n";
    std::vector<ImportFile> files;
    for (bool more = true; more;) {
        const std::size_t end = text.find(between);
        more = end != std::string_view::npos;
        files.push_back({"run." + std::to_string(files.size()) + ".prof", text.substr(0, end)});
        if (more) text.remove_prefix(end + between.size());
    }
    return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = input.find('\n');
    if (line == std::string_view::npos) return -1;
    const bool both_ways = input.substr(0, line) == "mat both ways";
    const ImportFormat* const format =
        format_called(both_ways ? std::string_view("mat") : input.substr(0, line));
    if (format == nullptr) return -1;

    const auto imported =
        import_profile(*format, files_of(input.substr(line + 1)), {.both_ways = both_ways});

    if (!imported) {
        const std::string& why = imported.error().message;
        require(!why.empty() && why.size() < 1000 && why.find('\n') == std::string::npos,
                "not one short line", why);
        // what check_imported() finds is an importer's fault
        require(imported.error().code != Errc::corrupt, "a profile of nonsense", why);
        return 0;
    }
    const auto again = decode_profile(encode_profile(imported.value().profile));
    require(again.ok(), "written, but not read again", again ? "" : again.error().message);
    require(again.value() == imported.value().profile, "read again, but not the same", "");
    return 0;
}
