// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>

namespace commmap::bench {

/// A file or an option that cannot be used. The message is one line that names the thing and its
/// value; run_command() prints it and ends the program with code 1.
class InputError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace commmap::bench
