// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <string>
#include <utility>

#include "commmap/result.hpp"

namespace commmap::spank {

/// Runs the body of a hook, and lets no error or exception out of it. Each becomes one line by
/// `report(text)`.
/// Always returns 0: a job must run even when placing it fails.
template <class Report, class Body>
int spank_guard(const char* hook, Report&& report, Body&& body) noexcept {
    try {
        std::string failure;
        try {
            const Status status = std::forward<Body>(body)();
            if (status) return 0;
            failure = status.error().message;
        } catch (const std::exception& exception) {
            failure = std::string("internal error: ") + exception.what();
        } catch (...) {
            failure = "internal error";
        }
        std::forward<Report>(report)(std::string(hook) + ": " + failure);
    } catch (...) {  // no memory for the line
    }
    return 0;
}

}  // namespace commmap::spank
