#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "commmap/result.hpp"

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
    /// What an answer of now holds for; the kept file begins with it.
    [[nodiscard]] Result<std::string> key() const;
    /// As root. An empty answer stands for none: asking is in vain.
    /// @param key  of before the program was asked
    /// Errors: not_found when the key is another by now; invalid_input when others than root can
    /// write to the directory; io.
    [[nodiscard]] Status keep(const std::string& key, std::string_view answer) const;

private:
    [[nodiscard]] std::string path() const { return directory_ + "/node"; }

    std::string directory_;
    std::string program_;
};

}  // namespace commmap::spank
