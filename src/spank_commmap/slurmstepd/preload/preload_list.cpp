// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/preload_list.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace commmap::spank {
namespace {

constexpr std::string_view separators = ": \t\n";

std::vector<std::string_view> entries_of(std::string_view list) {
    std::vector<std::string_view> entries;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find_first_of(separators, begin), list.size());
        if (end > begin) entries.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return entries;
}

std::string joined(const std::vector<std::string_view>& entries) {
    std::string list;
    for (const std::string_view entry : entries) {
        if (!list.empty()) list += ':';
        list += entry;
    }
    return list;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns whether an entry is a sanitizer's runtime, which ends the program when it is not the
/// first of all libraries.
bool must_be_first(std::string_view entry) {
    constexpr std::array<std::string_view, 5> runtimes = {"libasan.", "libtsan.", "liblsan.",
                                                          "libhwasan.", "libclang_rt."};
    return std::any_of(runtimes.begin(), runtimes.end(), [&](std::string_view runtime) {
        return file_name(entry).starts_with(runtime);
    });
}

}  // namespace

std::string without_file(std::string_view list, std::string_view file) {
    auto entries = entries_of(list);
    std::erase_if(entries, [&](std::string_view entry) { return file_name(entry) == file; });
    return joined(entries);
}

std::string with_entry(std::string_view list, std::string_view entry) {
    const std::string others = without_file(list, file_name(entry));
    auto entries = entries_of(others);
    entries.insert(std::find_if_not(entries.begin(), entries.end(), must_be_first), entry);
    return joined(entries);
}

bool can_be_preloaded(std::string_view path) {
    return path.find_first_of(separators) == std::string_view::npos;
}

}  // namespace commmap::spank
