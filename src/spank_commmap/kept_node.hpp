#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.hpp"

namespace commmap::spank {

/// What a program said of this node's CPUs, kept by root for the launches to come: hwloc takes some
/// milliseconds, on large nodes tens of them. Counts until the node starts anew, a CPU comes or
/// goes, or the program is another. Only in a directory that root alone can change: tasks believe
/// what it says.
class KeptNode {
public:
    /// @param directory  "/run/commmap"; made by keep()
    /// @param program    absolute path
    KeptNode(std::string directory, std::string program)
        : directory_(std::move(directory)), program_(std::move(program)) {}

    /// Errors: not_found when none is kept, it no longer counts, or others than root could have
    /// written it; those of read_file. Cost: four small files.
    [[nodiscard]] Result<std::string> load() const;
    /// As root. Errors: invalid_input when others than root can write to the directory; io.
    [[nodiscard]] Status keep(std::string_view answer) const;

private:
    /// What an answer holds for; the kept file begins with it.
    [[nodiscard]] Result<std::string> key() const;
    [[nodiscard]] std::string path() const { return directory_ + "/node"; }

    std::string directory_;
    std::string program_;
};

}  // namespace commmap::spank
