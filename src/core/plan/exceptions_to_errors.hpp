#pragma once

#include <exception>
#include <functional>
#include <new>
#include <type_traits>

#include "commmap/result.hpp"

namespace commmap {

/// What `work` returns, a Result or a Status; a std::exception out of it becomes an error
/// (internal): one mapper that has no memory is no plan that has none.
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
