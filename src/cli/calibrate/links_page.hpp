// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "commmap/result.hpp"

namespace commmap::cli {

/// What a page of measured links shows. Each text is JSON; an empty one shows nothing.
struct LinksPage {
    std::string cluster;      ///< its name, which is no JSON
    std::string calibration;  ///< of json_of_calibration()
    std::string check;        ///< of json_of_check()
};

/// Reads the page without measurements, share/commmap/calibration.html, which is installed with
/// this program.
/// Errors: not_found or io; corrupt when the page has no place for measurements. Each message has
/// the way out.
[[nodiscard]] Result<std::string> read_page_template();

/// Puts the measurements into such a page. The page is one file, and asks no network.
[[nodiscard]] std::string fill_page(std::string page_template, const LinksPage& page);

/// Reads a file that `--check --json` printed, and returns the keys that a page shows.
/// Errors: those of read_file(); invalid_input when the file is none, or lacks a key.
[[nodiscard]] Result<std::string> read_check_json(const std::string& path);

}  // namespace commmap::cli
