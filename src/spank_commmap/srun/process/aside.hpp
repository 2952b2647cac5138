// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace commmap::spank {

/// Does work that may hang in a child process, such as writing to a home directory that does not
/// answer.
/// Waits at most `longest` for the child's end. A child that takes longer goes on by itself.
///
/// The child has none of this process's descriptors, so a reader of srun's output does not wait for
/// the child. It runs no exit handlers.
/// When no child can be made (no memory, no descriptors), nothing is done.
/// @param work  ends when it throws; no other thread of this process exists in the child
void do_aside(std::chrono::milliseconds longest, const std::function<void()>& work);

/// Asks a question in a child process, which is ended when the time is over.
/// @return  none when the answer does not come in time, or there is no child
[[nodiscard]] std::optional<bool> ask_aside(std::chrono::milliseconds longest,
                                            const std::function<bool()>& question);

}  // namespace commmap::spank
