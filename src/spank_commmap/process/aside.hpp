#pragma once

#include <chrono>
#include <functional>
#include <optional>

namespace commmap::spank {

/// Does work that may hang, such as writing to a home directory that does not answer, in a child
/// process. Waits for its end, at most that long; a child that takes longer goes on by itself.
///
/// The child has no descriptor of this process: who reads what srun writes does not wait for it. It
/// runs no exit handlers. Without a child (no memory, no descriptors) nothing is done.
/// @param work  ends where it throws; no other thread of this process exists there
void do_aside(std::chrono::milliseconds longest, const std::function<void()>& work);

/// The same for a question, whose child is ended when the time is over.
/// @return  none where the answer does not come in time, or there is no child
[[nodiscard]] std::optional<bool> ask_aside(std::chrono::milliseconds longest,
                                            const std::function<bool()>& question);

}  // namespace commmap::spank
