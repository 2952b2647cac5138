#pragma once

#include <cerrno>

namespace commmap::hooks {

/// Puts errno back at the end: what the program finds there is its own.
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
