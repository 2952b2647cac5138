// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace commmap::spank {

/// End of a line that says why nothing is recorded: it tells the user how to record in a container.
inline constexpr const char* how_to_record_inside =
    "; docs/user/recorder.md, In containers, says how to record there";

/// Finds out whether a step runs in a container, or may run in one. Nothing is preloaded there: a
/// container may have another C library.
class ContainerCheck {
public:
    /// Notes the root directory when the plugin is loaded. Another plugin (pyxis) may take the task
    /// into a container later, and so change its root directory.
    void note_root_directory();
    /// Returns one line for the user if the step runs in a container, or may run in one; else
    /// empty.
    [[nodiscard]] std::string why_nothing_is_preloaded(spank_t spank) const;

private:
    using Directory = std::pair<dev_t, ino_t>;
    static Directory root_directory_now();

    std::optional<Directory> root_at_first_;
};

}  // namespace commmap::spank
