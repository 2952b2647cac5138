// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cerrno>

namespace commmap::hooks {

/// Restores errno when it goes out of scope, so that the program finds its own errno after a
/// wrapped call.
class ErrnoSaved {
public:
    ErrnoSaved() noexcept : saved_(errno) {}
    ~ErrnoSaved() { errno = saved_; }
    ErrnoSaved(const ErrnoSaved&) = delete;
    ErrnoSaved& operator=(const ErrnoSaved&) = delete;

private:
    int saved_;
};

}  // namespace commmap::hooks
