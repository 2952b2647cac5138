// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <exception>
#include <functional>
#include <new>
#include <type_traits>

#include "commmap/result.hpp"

namespace commmap {

/// Calls `work` and returns its Result or Status; a std::exception becomes an error (internal). A
/// mapper that runs out of memory must not cost the whole plan.
template <class Work>
[[nodiscard]] std::invoke_result_t<Work&> exceptions_to_errors(Work&& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{Errc::internal, "out of memory"};
    } catch (const std::exception& e) {
        return Error{Errc::internal, e.what()};
    }
}

}  // namespace commmap
