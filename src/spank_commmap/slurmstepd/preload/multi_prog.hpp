// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commmap::spank {

/// Returns the command of one task of `srun --multi-prog`. Empty where the step has one program for
/// all tasks, or no line is the task's.
/// The step's words are then the configuration file's name and its content.
/// The content has a line "RANKS PROGRAM ARGUMENT..." for each kind of task:
/// - ranks are "0", "1-3,7", or "*" for all ranks that no other line has;
/// - '#' begins a comment;
/// - quotes keep blanks.
[[nodiscard]] std::vector<std::string> multi_prog_words(const std::vector<std::string>& words,
                                                        std::uint32_t rank);

}  // namespace commmap::spank
