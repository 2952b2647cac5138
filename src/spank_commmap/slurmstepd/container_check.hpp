#pragma once

#include <slurm/spank.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>

namespace commmap::spank {

/// How a user can record there all the same: the end of a line that says why nothing is recorded.
inline constexpr const char* how_to_record_inside =
    "; docs/user/recorder.md, In containers, says how to record there";

/// Finds out whether a step runs in a container, or may. Nothing is preloaded there: a container
/// may have another C library.
class ContainerCheck {
public:
    /// Call when the plugin is loaded: another plugin (pyxis) may take the task into a container
    /// later, and so change its root directory.
    void note_root_directory();
    /// One line for the user, of a step that runs in a container, or may; else empty.
    [[nodiscard]] std::string why_nothing_is_preloaded(spank_t spank) const;

private:
    using Directory = std::pair<dev_t, ino_t>;
    static Directory root_directory_now();

    std::optional<Directory> root_at_first_;
};

}  // namespace commmap::spank
