// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/links_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/base/file.hpp"
#include "core/text/one_line.hpp"

namespace commmap::cli {
namespace {

using nlohmann::json;
using namespace std::string_view_literals;

/// What web/calibration/page.html.in has where the data goes.
constexpr auto place_of_data = "\"commmap puts what was measured here\""sv;

constexpr std::uint64_t max_template_bytes = std::uint64_t{4} << 20U;
/// A check of 10,000 nodes that are all slow has some megabytes.
constexpr std::uint64_t max_check_bytes = std::uint64_t{64} << 20U;

/// Copies the keys of one kind from an object of somebody else. Only what was asked for is copied,
/// because a page shows nothing else, and the rest may be nested without end.
/// @return  whether all are there
bool copy(const json& from, json& to, const std::vector<std::string_view>& keys,
          bool (*is_right)(const json&)) {
    for (const std::string_view key : keys) {
        const auto found = from.find(key);
        if (found == from.end() || !is_right(*found)) return false;
        to[std::string(key)] = *found;
    }
    return true;
}

bool is_text(const json& value) { return value.is_string(); }
bool is_number(const json& value) { return value.is_number(); }
bool is_truth(const json& value) { return value.is_boolean(); }
bool are_texts(const json& value) {
    return value.is_array() && std::all_of(value.begin(), value.end(), is_text);
}
bool are_objects(const json& value) {
    return value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_object(); });
}

/// nullopt: no result of a check.
std::optional<json> shown_of_check(const json& check) {
    json shown = json::object();
    if (!check.is_object() ||
        !copy(check, shown, {"nodes_checked", "uplinks_checked", "seconds"}, is_number) ||
        !copy(check, shown, {"complete"}, is_truth) ||
        !copy(check, shown, {"not_tested"}, are_texts) || !check.contains("outliers") ||
        !are_objects(check["outliers"])) {
        return std::nullopt;
    }
    shown["outliers"] = json::array();
    for (const json& outlier : check["outliers"]) {
        json& copied = shown["outliers"].emplace_back(json::object());
        if (!copy(outlier, copied, {"kind", "text"}, is_text) ||
            !copy(outlier, copied, {"nodes", "switches"}, are_texts) ||
            !outlier.contains("values") || !are_objects(outlier["values"])) {
            return std::nullopt;
        }
        copied["values"] = json::array();
        for (const json& value : outlier["values"]) {
            json& one = copied["values"].emplace_back(json::object());
            if (!copy(value, one, {"direction", "unit"}, is_text) ||
                !copy(value, one, {"first", "second", "reference", "share"}, is_number)) {
                return std::nullopt;
            }
        }
    }
    return shown;
}

json parsed(const std::string& text) {
    return text.empty() ? json(nullptr) : json::parse(text, nullptr, false);
}

}  // namespace

Result<std::string> read_page_template() {
    constexpr auto way_out = "install commmap as a whole, or leave out --page"sv;
    std::error_code error;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return Error{Errc::io,
                     fmt::format("/proc does not say where commmap is installed: {}", way_out)};
    }
    const std::string path =
        (own.parent_path() / COMMMAP_PROGRAM_TO_DATA / "calibration.html").lexically_normal();
    auto text = read_file(path, max_template_bytes);
    if (!text) {
        return Error{text.error().code,
                     fmt::format("{}: {}", one_line(text.error().message), way_out)};
    }
    if (text.value().find(place_of_data) == std::string::npos) {
        return Error{Errc::corrupt, fmt::format("{} has no place for measurements: {}",
                                                commmap::quoted(path, 200), way_out)};
    }
    return text;
}

std::string fill_page(std::string page_template, const LinksPage& page) {
    const json document{{"version", COMMMAP_VERSION},
                        {"cluster", page.cluster},
                        {"calibration", parsed(page.calibration)},
                        {"check", parsed(page.check)}};
    const std::string data = document.dump(-1, ' ', true, json::error_handler_t::replace);
    // JSON has this letter in strings only. A name with "</script>" would end the data.
    std::string safe;
    safe.reserve(data.size());
    for (const char letter : data) {
        if (letter == '<') {
            safe += "\\u003c";
        } else {
            safe += letter;
        }
    }
    const std::size_t place = page_template.find(place_of_data);
    if (place != std::string::npos) page_template.replace(place, place_of_data.size(), safe);
    return page_template;
}

Result<std::string> read_check_json(const std::string& path) {
    auto text = read_file(path, max_check_bytes);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    const auto shown = shown_of_check(json::parse(text.value(), nullptr, false));
    if (shown) return shown->dump(-1, ' ', false, json::error_handler_t::replace);
    return Error{Errc::invalid_input,
                 fmt::format("{} is not the result of a check: make one with 'commmap calibrate "
                             "--check --json'",
                             commmap::quoted(path, 200))};
}

}  // namespace commmap::cli
