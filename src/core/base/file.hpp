// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"

namespace commmap {

/// Makes the error "cannot read 'PATH': No such file or directory".
/// @param error  as in errno: not_found where it says that nothing is there, else io
[[nodiscard]] Error system_error(const std::string& what, const std::string& path, int error);

struct OpenedFile {
    FileDescriptor fd;
    std::uint64_t size_bytes;
};
/// Opens a regular file of at most `max_bytes` for reading. A FIFO, device or directory is refused
/// without blocking (O_NONBLOCK, then fstat).
/// Errors: not_found; invalid_input for another kind of file or a too large one; io.
[[nodiscard]] Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_bytes);
/// Reads the whole content of such a file. Errors: as open_file().
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

/// Whether a file has to survive a crash of the machine, which costs two round trips to the disk.
enum class Sync { yes, no };

/// Replaces a file in one step: writes a temporary file beside it, fsync, rename, fsync of the
/// directory. A reader sees the old content or the new one, never a part. On error nothing is left
/// behind; when the process is killed, PATH.new-XXXXXX may be.
/// Errors: io, also for a file that is longer than the process may write (no signal is raised).
/// invalid_input when `path` is no regular file (a device, a directory, a symbolic link). Such a
/// file is not replaced.
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content,
                                           unsigned mode = 0600, Sync sync = Sync::yes);

/// Checks whether replace_file() may replace this file, without changing anything.
/// Errors: not_found; io when the file or its directory is read-only. invalid_input when the path
/// is no regular file, has another name as well (a hard link), or is a symbolic link. The message
/// names the target of a symbolic link.
[[nodiscard]] Status is_replaceable(const std::string& path);

/// Replaces somebody's file by a changed one in one step, as write_file_atomically() does. Owner,
/// group and mode stay.
/// @param old_content  what the change was made from
/// Errors: those of is_replaceable(); invalid_input when the file no longer has the old content; io
/// when owner and group cannot be kept. The file is as it was then.
[[nodiscard]] Status replace_file(const std::string& path, std::string_view old_content,
                                  std::string_view content);

/// Writes to a path that a user named, without fsync.
/// - A regular file is replaced in one step and keeps its permissions.
/// - A new file gets the permissions that the umask leaves.
/// - A device, a FIFO (with a reader) or the target of a symbolic link is written to.
/// Errors: io.
/// Not beside threads that create files, because it changes the umask for a moment.
[[nodiscard]] Status write_to(const std::string& path, std::string_view content);

/// Checks that a directory exists, is no symbolic link, and belongs to this user. Files in other
/// directories may be anybody's.
/// Errors: not_found; io.
[[nodiscard]] Status is_own_directory(const std::string& path);

/// Makes a directory with its parents, as mkdir -p. New directories get `mode`, whatever the umask
/// is.
/// Errors: io.
[[nodiscard]] Status make_directories(const std::string& path, unsigned mode = 0700);

}  // namespace commmap
