// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "core/profile/store/stored_name.hpp"

#include <time.h>

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/profile/store/unfinished_path.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace commmap {
namespace {

constexpr std::string_view suffix = ".commmap";
constexpr std::string_view partial_suffix = ".partial";  // after `suffix`
constexpr std::string_view before_ranks = "-np";
/// A longer identity is cut and gets a hash, because NAME_MAX is 255. Usual identities of
/// executables have at most 50 letters, those of scripts 75, and a tag has at most 32.
constexpr std::size_t max_id_letters = 140;
/// "build-id:" and "xxh128:" turn into "build-id-" and "xxh128-": a colon in a file name is a
/// nuisance.
constexpr std::string_view schemes[] = {"build-id", "xxh128", "set"};

std::string_view scheme_of(std::string_view text, char separator) {
    for (const std::string_view scheme : schemes)
        if (text.size() > scheme.size() && text.starts_with(scheme) &&
            text[scheme.size()] == separator)
            return scheme;
    return {};
}

bool is_letter(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_safe(char c) { return is_letter(c) || c == '-' || c == '_' || c == '.' || c == '+'; }

/// Makes a file name from an identity. Escapes what would make a path, and a '.' in front, which
/// would make a hidden file.
std::string stem_of(std::string_view id) {
    constexpr const char* digits = "0123456789ABCDEF";
    const std::string_view scheme = scheme_of(id, ':');
    std::string stem;
    for (std::size_t i = 0; i < id.size(); ++i) {
        const char c = id[i];
        if (!scheme.empty() && i == scheme.size()) {
            stem += '-';
        } else if (is_safe(c) && !(c == '.' && stem.empty())) {
            stem += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            stem += {'%', digits[byte >> 4], digits[byte & 15]};
        }
    }
    if (stem.size() > max_id_letters) {
        char hash[17];
        std::snprintf(hash, sizeof hash, "%016llx",
                      static_cast<unsigned long long>(XXH3_64bits(id.data(), id.size())));
        stem = stem.substr(0, max_id_letters) + "-" + hash;
    }
    return stem;
}

std::string id_of_stem(std::string_view stem) {
    const std::string_view scheme = scheme_of(stem, '-');
    std::string id;
    for (std::size_t i = 0; i < stem.size(); ++i) {
        unsigned byte = 0;
        if (!scheme.empty() && i == scheme.size()) {
            id += ':';
        } else if (stem[i] == '%' && i + 2 < stem.size() &&
                   std::from_chars(&stem[i + 1], &stem[i + 1] + 2, byte, 16).ptr ==
                       &stem[i + 1] + 2) {
            id += static_cast<char>(byte);
            i += 2;
        } else {
            id += stem[i];
        }
    }
    return id;
}

}  // namespace

std::string file_name_of(const StoredName& name) {
    std::string text = profile_key(name.application_id, name.num_ranks);
    if (!name.run.empty()) text += "." + name.run;
    text += suffix;
    if (name.partial) text += partial_suffix;
    return text;
}

std::string profile_key(std::string_view application_id, std::size_t num_ranks) {
    return stem_of(application_id) + std::string(before_ranks) + std::to_string(num_ranks);
}

std::string_view profile_key_of(std::string_view file_name) {
    return file_name.substr(0, file_name.find('.', file_name.rfind(before_ranks)));
}

bool is_of(std::string_view file_name, std::string_view application_id) {
    return file_name.substr(0, file_name.rfind(before_ranks)) == stem_of(application_id);
}

std::optional<StoredName> parse_stored_name(std::string_view file_name) {
    StoredName name;
    name.partial = file_name.ends_with(partial_suffix);
    if (name.partial) file_name.remove_suffix(partial_suffix.size());
    if (!file_name.ends_with(suffix)) return std::nullopt;
    file_name.remove_suffix(suffix.size());
    const auto np = file_name.rfind(before_ranks);
    if (np == std::string_view::npos || np == 0) return std::nullopt;
    const std::string_view number = file_name.substr(np + before_ranks.size());
    const char* const last = number.data() + number.size();
    const auto [end, error] = std::from_chars(number.data(), last, name.num_ranks);
    if (error != std::errc{}) return std::nullopt;
    if (end != last) {
        if (*end != '.' || end + 1 == last) return std::nullopt;
        name.run = std::string_view(end + 1, static_cast<std::size_t>(last - end) - 1);
        const auto is_of_run = [](char c) { return is_letter(c) || c == '-' || c == '.'; };
        if (!std::all_of(name.run.begin(), name.run.end(), is_of_run)) return std::nullopt;
    }
    const std::string_view stem = file_name.substr(0, np);
    const auto is_of_stem = [](char c) { return is_safe(c) || c == '%'; };
    if (!std::all_of(stem.begin(), stem.end(), is_of_stem)) return std::nullopt;
    name.application_id = id_of_stem(stem);
    return name;
}

bool is_read_before(const StoredName& one, const StoredName& other) {
    if (one.partial != other.partial) return other.partial;
    return one.run > other.run;
}

std::string run_name(std::uint64_t recorded_unix_s, std::uint32_t job, std::uint32_t step,
                     std::string_view content) {
    const auto seconds = static_cast<time_t>(recorded_unix_s);
    struct tm utc {};
    char when[32] = "0";
    if (::gmtime_r(&seconds, &utc) != nullptr)
        ::strftime(when, sizeof when, "%Y%m%dT%H%M%SZ", &utc);
    char hash[9];
    std::snprintf(hash, sizeof hash, "%08x",
                  static_cast<unsigned>(XXH3_64bits(content.data(), content.size()) >> 32));
    return when + (job == 0 ? "-" : step_mark(job, step)) + hash;
}

bool is_run_of(std::string_view run, std::uint32_t job, std::uint32_t step) {
    return run.find(step_mark(job, step)) != std::string_view::npos;
}

}  // namespace commmap
