// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

namespace commmap {

/// Who may read a file that commmap writes: the user alone (0600 in 0700), the group (0640 in
/// 0750), or everybody (0644 in 0755).
enum class FileVisibility : unsigned char { user, group, everybody };

struct FileModes {
    unsigned file;
    unsigned directory;
};
[[nodiscard]] constexpr FileModes modes_of(FileVisibility visibility) {
    switch (visibility) {
        case FileVisibility::user:
            break;
        case FileVisibility::group:
            return {0640, 0750};
        case FileVisibility::everybody:
            return {0644, 0755};
    }
    return {0600, 0700};
}

}  // namespace commmap
