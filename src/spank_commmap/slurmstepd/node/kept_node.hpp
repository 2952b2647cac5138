// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "commmap/result.hpp"

namespace commmap::spank {

/// An answer about this node's CPUs, kept by root for later launches: hwloc takes some
/// milliseconds, on large nodes tens of them.
/// The answer counts until the node boots, a CPU comes or goes, or the program is another.
/// Tasks trust the answer, so it is kept only in a directory that root alone can change.
class KeptNode {
public:
    /// @param directory  "/run/commmap"; made by keep()
    /// @param program    absolute path of the program that answers
    KeptNode(std::string directory, std::string program)
        : directory_(std::move(directory)), program_(std::move(program)) {}

    /// Loads the answer.
    /// Errors: those of read_file; not_found when
    /// - none is kept, or it no longer counts;
    /// - others than root could have written it.
    /// Cost: four small files.
    [[nodiscard]] Result<std::string> load() const;
    /// Returns the conditions under which an answer given now counts. The kept file begins with
    /// this text.
    [[nodiscard]] Result<std::string> key() const;
    /// Keeps an answer, as root. An empty answer says that no answer is to be had.
    /// @param key  from before the program was asked
    /// Errors:
    /// - not_found when the key is another by now;
    /// - invalid_input when others than root can write to the directory;
    /// - io.
    [[nodiscard]] Status keep(const std::string& key, std::string_view answer) const;

private:
    [[nodiscard]] std::string path() const { return directory_ + "/node"; }

    std::string directory_;
    std::string program_;
};

}  // namespace commmap::spank
