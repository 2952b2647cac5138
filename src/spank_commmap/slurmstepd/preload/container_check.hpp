// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <slurm/spank.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace commmap::spank {

/// Finds out whether a step runs in a container, or may run in one. Nothing is preloaded there: a
/// container may have another C library.
class ContainerCheck {
public:
    /// Notes the root directory when the plugin is loaded. Another plugin (pyxis) may take the task
    /// into a container later, and so change its root directory.
    void note_root_directory();
    /// Returns for the user that the step runs in a container, or may run in one; else empty.
    /// @param more_on_container  end of the text about a step that does
    [[nodiscard]] std::string why_nothing_is_preloaded(spank_t spank,
                                                       std::string_view more_on_container) const;

private:
    using Directory = std::pair<dev_t, ino_t>;
    static Directory root_directory_now();

    std::optional<Directory> root_at_first_;
};

}  // namespace commmap::spank
