#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "commmap/result.hpp"
#include "core/base/file_visibility.hpp"
#include "core/base/handle.hpp"
#include "core/base/own_name.hpp"

namespace commmap {

/// One answer of the planner, as it is kept.
struct KeptPlan {
    std::string answer;
    /// What the answer depends on besides the question: the files that the cluster YAML names.
    std::vector<std::string> files;
    /// The budget that cut the plan short, in milliseconds, also when it is finished; 0: nothing
    /// did.
    std::uint64_t cut_short_at_ms = 0;
    /// How many launches may still improve the answer; 0: the plan is finished.
    unsigned launches_left = 0;
    /// What the planner tried, in its own format, for a plan that goes on from there or has more
    /// time; empty when nothing cut it short.
    std::string search;

    [[nodiscard]] bool operator==(const KeptPlan&) const = default;
};

/// Answers of the planner, kept beside the user's profiles: the same question about the same files
/// is not worked out twice.
///
/// One file for each question, named by its hash. The answer's files are kept with their hashes and
/// compared before the answer is given. Nothing here fails a launch: what cannot be read or written
/// is no answer.
class PlanCache {
public:
    /// @param profiles  the directory of profiles, made when something is kept, for those readers;
    ///                  plans-UID/ in it is for the user alone
    explicit PlanCache(const std::string& profiles,
                       FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          visibility_(visibility),
          directory_(profiles + "/" + own_name("plans")) {}

    /// The question: every file by its content, every argument by its text. Errors: those of
    /// content_id.
    [[nodiscard]] static Result<std::string> key(const std::vector<std::string>& files,
                                                 const std::vector<std::string>& arguments);

    /// The answer whose file is whole and whose files are unchanged. Errors: not_found (nothing is
    /// kept), invalid_input (what is kept is of no use, or its directory is not this user's alone;
    /// the message says why). Cost: those files are read.
    [[nodiscard]] Result<KeptPlan> find(const std::string& key) const;

    /// A planner has begun to keep an answer, and has not come to its end: it is at it, or died.
    /// Cost: the directory is read.
    [[nodiscard]] bool is_begun(const std::string& key) const;

    static constexpr unsigned most_launches = 3;  ///< that may improve an answer

    /// Keeps an answer, and throws the oldest away above 256 of them or 64 MiB. Errors: io.
    [[nodiscard]] Status keep(const std::string& key, const KeptPlan& plan) const;

    /// Until the process ends, no other process has it, where the file system knows locks. none:
    /// another one has it, or there is no directory that can be written to.
    [[nodiscard]] FileDescriptor lock() const;

    /// The file that keep() writes.
    struct File {
        std::string path;
        std::string content;
    };
    /// For those who write the file themselves; its directory is there afterwards. Errors: io,
    /// out_of_range (larger than 64 MiB).
    [[nodiscard]] Result<File> file_of(const std::string& key, const KeptPlan& plan) const;

private:
    static void throw_old_away(const std::string& directory);

    std::string profiles_;
    FileVisibility visibility_;
    std::string directory_;
};

}  // namespace commmap
