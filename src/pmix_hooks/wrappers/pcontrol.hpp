#pragma once

#include <cstddef>

namespace commmap::hooks {

/// Notes a call of MPI_Pcontrol. A label follows level 1 and -1 where the program uses IPM's
/// convention, and nothing does where it does not, which cannot be told from outside: what stands
/// there is then anything. It is a label when it can be read and begins with printable ASCII up
/// to a NUL, or 63 letters of it.
void note_pcontrol(int level, const void* perhaps_label) noexcept;

/// Copies a text that may not be there: false unless printable ASCII up to a NUL, or `size` - 1
/// of them, can be read. No signal comes of a wild address.
[[nodiscard]] bool copy_label(const void* from, char* to, std::size_t size) noexcept;

}  // namespace commmap::hooks
