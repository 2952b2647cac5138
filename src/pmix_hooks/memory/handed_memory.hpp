#pragma once

namespace commmap::hooks {

/// The file without a name that slurmstepd made for what this task records
/// (record_memory_variable), closed at exec from now on; -1 where there is none.
[[nodiscard]] int handed_memory() noexcept;

}  // namespace commmap::hooks
