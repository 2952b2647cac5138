// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/links_page.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <utility>

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

/// Whether the page can show this as a check: each key that the page reads is there.
bool is_check(const json& document) {
    const auto has = [](const json& object, json::value_t type, const auto& keys) {
        if (!object.is_object()) return false;
        for (const std::string_view key : keys) {
            const auto found = object.find(key);
            if (found == object.end()) return false;
            const bool number = type == json::value_t::number_float && found->is_number();
            if (!number && found->type() != type) return false;
        }
        return true;
    };
    constexpr auto number = json::value_t::number_float;
    if (!has(document, number, std::array{"nodes_checked"sv, "uplinks_checked"sv, "seconds"sv}) ||
        !has(document, json::value_t::boolean, std::array{"complete"sv}) ||
        !has(document, json::value_t::array, std::array{"outliers"sv, "not_tested"sv})) {
        return false;
    }
    for (const json& outlier : document["outliers"]) {
        if (!has(outlier, json::value_t::string, std::array{"kind"sv, "text"sv}) ||
            !has(outlier, json::value_t::array, std::array{"nodes"sv, "switches"sv, "values"sv})) {
            return false;
        }
        for (const json& value : outlier["values"]) {
            if (!has(value, json::value_t::string, std::array{"direction"sv, "unit"sv}) ||
                !has(value, number, std::array{"first"sv, "second"sv, "reference"sv, "share"sv})) {
                return false;
            }
        }
    }
    return true;
}

json parsed(const std::string& text) {
    return text.empty() ? json(nullptr) : json::parse(text, nullptr, false);
}

}  // namespace

Result<std::string> read_page_template() {
    std::error_code error;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", error);
    const std::filesystem::path path =
        (own.parent_path() / COMMMAP_PROGRAM_TO_DATA / "calibration.html").lexically_normal();
    auto text = read_file(path.string(), max_template_bytes);
    if (text) return text;
    return Error{text.error().code,
                 fmt::format("{}: the page comes with commmap, so install commmap as a whole, or "
                             "leave out --page",
                             one_line(text.error().message))};
}

Result<std::string> fill_page(std::string page_template, const LinksPage& page) {
    const std::size_t place = page_template.find(place_of_data);
    if (place == std::string::npos) {
        return Error{Errc::corrupt,
                     "the installed page calibration.html has no place for measurements: install "
                     "commmap anew, or leave out --page"};
    }
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
    page_template.replace(place, place_of_data.size(), safe);
    return page_template;
}

Result<std::string> read_check_json(const std::string& path) {
    auto text = read_file(path, max_check_bytes);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    const json document = json::parse(text.value(), nullptr, false);
    if (!document.is_discarded() && is_check(document)) return text;
    return Error{Errc::invalid_input,
                 fmt::format("{} is not the result of a check: make one with 'commmap calibrate "
                             "--check --json'",
                             commmap::quoted(path, 200))};
}

}  // namespace commmap::cli
