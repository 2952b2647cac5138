#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace commmap::spank {

/// The command of one task of `srun --multi-prog`. The step's words are then the configuration
/// file's name and its content, with a line "RANKS PROGRAM ARGUMENT..." for each kind of task:
/// ranks "0", "1-3,7" or "*", which takes what no other line does; '#' begins a comment; quotes
/// keep blanks. Empty where the words are of one program, or no line is the task's.
[[nodiscard]] std::vector<std::string> multi_prog_words(const std::vector<std::string>& words,
                                                        std::uint32_t rank);

}  // namespace commmap::spank
