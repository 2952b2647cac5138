// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <linux/limits.h>
#include <sys/types.h>

#include "core/base/handle.hpp"

namespace commmap::spank {

/// Reason why a program was not opened.
struct Untrusted {
    int error = 0;  ///< errno; EPERM: others can change the file at `place`
    char place[PATH_MAX]{};
};

/// Opens a program that root may start: only root and the plugin's owner can change that file, or
/// put another file in its place.
///
/// The file, each folder from `/` to it, and each link on the way belong to one of these two.
/// Neither file nor folder is writable for its group or for others; a folder that is must have the
/// sticky bit.
/// Uses system calls only, so a child of a process with threads may call this function. The parent
/// can then give up a file server that does not answer.
///
/// @param path  absolute
/// @return      a descriptor by O_PATH, closed at exec. If it owns nothing, `why` says the reason
[[nodiscard]] FileDescriptor open_trusted_program(const char* path, Untrusted& why) noexcept;

/// Sets the owner of the plugin, who decides already about what root runs. The owner is 0 until
/// then.
void trust_owner_of_plugin(uid_t owner) noexcept;

/// Returns whether this process is the system's root. In a user namespace `/` belongs to somebody
/// else, and nothing there is root's alone.
[[nodiscard]] bool is_root_of_system() noexcept;

}  // namespace commmap::spank
