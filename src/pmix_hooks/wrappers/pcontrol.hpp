// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>

namespace commmap::hooks {

/// Notes a call of MPI_Pcontrol.
/// A program that uses IPM's convention passes a label behind the levels 1 and -1. Other programs
/// pass nothing, and `perhaps_label` is then any value.
/// This function cannot know which of them it has. It takes a label where it can read printable
/// ASCII up to a NUL, or 63 letters of printable ASCII.
/// @param longest  a longer text is no label
void note_pcontrol(int level, const void* perhaps_label, std::size_t longest) noexcept;

/// Copies a text that may not be there. No signal comes of a wild address.
/// Returns false unless printable ASCII up to a NUL, or `size` - 1 letters of it, can be read.
[[nodiscard]] bool copy_label(const void* from, char* to, std::size_t size) noexcept;

}  // namespace commmap::hooks
