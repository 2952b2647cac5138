#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "commmap/result.hpp"
#include "core/base/handle.hpp"

namespace commmap {

/// "cannot read 'PATH': No such file or directory".
/// @param error  as in errno: not_found where it says that nothing is there, else io
[[nodiscard]] Error system_error(const std::string& what, const std::string& path, int error);

struct OpenedFile {
    FileDescriptor fd;
    std::uint64_t size_bytes;
};
/// A regular file of at most `max_bytes`, to be read. A FIFO, device or directory is refused
/// without blocking (opened O_NONBLOCK, checked with fstat). Errors: not_found, invalid_input (not
/// a regular file, too large), io.
[[nodiscard]] Result<OpenedFile> open_file(const std::string& path, std::uint64_t max_bytes);
/// Its whole content.
[[nodiscard]] Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);

/// Whether a file has to outlive a crash of the machine, which costs two round trips to the disk.
enum class Sync { yes, no };

/// Replaces `path` as one step: temporary file beside it (mode), fsync, rename, fsync of the
/// directory. A reader sees the old content or the new one, never a part; on error nothing stays
/// behind, PATH.new-XXXXXX where the process was killed. What is there and no regular file is not
/// replaced. Errors: io (also for a file longer than the process may
/// write, which raises no signal), invalid_input (a device, a directory, a symbolic link).
[[nodiscard]] Status write_file_atomically(const std::string& path, std::string_view content,
                                           unsigned mode = 0600, Sync sync = Sync::yes);

/// Writes to a path that a user named, without fsync: a file is replaced as above and keeps its
/// permissions, a new one gets those that the umask leaves; a device, a FIFO (with a reader) or
/// what a symbolic link names is written to. Errors: io. Not beside threads that make files: asks
/// for the umask.
[[nodiscard]] Status write_to(const std::string& path, std::string_view content);

/// Whether a directory is there, is no link and belongs to this user: what lies in another one may
/// be anybody's. Errors: not_found; io.
[[nodiscard]] Status is_own_directory(const std::string& path);

/// mkdir -p; directories made here get `mode`, whatever the umask is. Errors: io.
[[nodiscard]] Status make_directories(const std::string& path, unsigned mode = 0700);

}  // namespace commmap
