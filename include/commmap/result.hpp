// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace commmap {

/// Why something failed, as a value that a program can test. The message is for people.
enum class Errc {
    invalid_input,  ///< a file, an option or an argument says something that makes no sense
    not_found,      ///< the thing that was asked for does not exist
    not_supported,  ///< understood, but this version or this machine cannot do it
    corrupt,        ///< a file that commmap wrote fails its own checks
    out_of_range,   ///< a number that does not fit where it must go
    io,             ///< the operating system refused
    timed_out,      ///< a deadline passed
    library,        ///< a library that commmap calls failed
    internal,       ///< a broken invariant that could be reported instead of asserted
};

struct Error {
    Errc code;
    std::string message;  ///< one line: the thing, its value, the way out; no full stop, no newline
};

/// Holds a value, or the error that says why there is no value.
/// Test it with `if (result)`; then value() or error() may be called.
/// Cost: one std::variant. Not thread-safe.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}      // NOLINT(google-explicit-constructor)
    Result(Error error) : state_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

    explicit operator bool() const { return std::holds_alternative<T>(state_); }
    [[nodiscard]] bool ok() const { return static_cast<bool>(*this); }

    [[nodiscard]] T& value() & {
        assert(ok() && "value() of a failed Result");
        return *std::get_if<T>(&state_);
    }
    [[nodiscard]] const T& value() const& {
        assert(ok() && "value() of a failed Result");
        return *std::get_if<T>(&state_);
    }
    [[nodiscard]] T&& value() && {
        assert(ok() && "value() of a failed Result");
        return std::move(*std::get_if<T>(&state_));
    }
    [[nodiscard]] const Error& error() const {
        assert(!ok() && "error() of a successful Result");
        return *std::get_if<Error>(&state_);
    }

private:
    std::variant<T, Error> state_;
};

/// The value of a Status: a function that returns a Status either succeeds or has an error.
struct Ok {};
using Status = Result<Ok>;

/// Puts a place in front of an error's message: "cluster.yaml:3: ...". The code stays.
[[nodiscard]] inline Error prefixed(const std::string& where, const Error& error) {
    return Error{error.code, where + ": " + error.message};
}

}  // namespace commmap
