#pragma once

#include <linux/limits.h>
#include <sys/types.h>

#include "core/base/handle.hpp"

namespace commmap::spank {

/// Why a program was not opened.
struct Untrusted {
    int error = 0;  ///< errno; EPERM: others can change what `place` names
    char place[PATH_MAX]{};
};

/// Opens a program that root may start: nobody but root, or who owns the plugin, can change that
/// file, or put another one in its place.
///
/// The file, each folder from `/` to it, and each link on the way belong to one of them. Neither
/// file nor folder is writable for its group or for others; a folder that is must have the sticky
/// bit. System calls only, so that a child of a process with threads may call this, whose parent
/// can give up a file server that does not answer.
///
/// @param path  absolute
/// @return      a descriptor by O_PATH, closed at exec; owns nothing: `why` says it
[[nodiscard]] FileDescriptor open_trusted_program(const char* path, Untrusted& why) noexcept;

/// Who owns the plugin, and so decides already about what root runs. 0 until somebody says.
void trust_owner_of_plugin(uid_t owner) noexcept;

/// Whether this process has the system's root: in a user namespace `/` is somebody else's, and
/// nothing there is root's alone.
[[nodiscard]] bool is_root_of_system() noexcept;

}  // namespace commmap::spank
