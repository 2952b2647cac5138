// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "spank_commmap/slurmstepd/preload/container_check.hpp"

#include <sys/stat.h>

#include "spank_commmap/slurm/container_plugin.hpp"
#include "spank_commmap/slurm/spank_api.hpp"

namespace commmap::spank {

ContainerCheck::Directory ContainerCheck::root_directory_now() {
    struct stat status {};
    if (::stat("/", &status) != 0) return {};
    return {status.st_dev, status.st_ino};
}

void ContainerCheck::note_root_directory() { root_at_first_ = root_directory_now(); }

std::string ContainerCheck::why_nothing_is_preloaded(spank_t spank,
                                                     std::string_view more_on_container) const {
    const bool has_other_root = root_at_first_ && *root_at_first_ != root_directory_now();
    if (task_variable(spank, "SLURM_CONTAINER") || has_other_root)
        return "the step runs in a container (--container, pyxis), which may have another C "
               "library" +
               std::string(more_on_container);
    if (container_plugin_is_behind())
        return "spank_pyxis.so stands behind commmap.so in plugstack.conf, so that nobody can tell "
               "whether the step runs in a container; the administrator can put commmap.so behind "
               "it";
    return "";
}

}  // namespace commmap::spank
