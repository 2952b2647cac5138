// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

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

/// An answer of the planner, as the cache keeps it.
struct KeptPlan {
    std::string answer;
    /// Files on which the answer depends besides the question: those that the cluster YAML names.
    std::vector<std::string> files;
    /// Milliseconds after which the plan was cut short; 0: it was not. The number stays when a
    /// later launch has finished the plan.
    std::uint64_t cut_short_at_ms = 0;
    /// How many more launches may improve the answer; 0: the plan is finished.
    unsigned launches_left = 0;
    /// What the planner has tried, in its own format, so that a later launch can go on from there.
    /// Empty when the plan was not cut short.
    std::string search;

    [[nodiscard]] bool operator==(const KeptPlan&) const = default;
};

/// Caches the planner's answers beside the user's profiles, so that the same question about the
/// same files is not worked out twice.
///
/// Each question has one file, named by the question's hash. The hashes of the files on which an
/// answer depends are stored with it, and compared before the answer is returned. An error here
/// never fails a launch: an answer that cannot be read or written counts as missing.
class PlanCache {
public:
    /// @param profiles  directory of profiles. It is made when an answer is kept, and `readers` may
    ///                  read it. plans-UID/ in it is for the user alone.
    explicit PlanCache(const std::string& profiles,
                       FileVisibility visibility = FileVisibility::user)
        : profiles_(profiles),
          visibility_(visibility),
          directory_(profiles + "/" + own_name("plans")) {}

    /// Returns the hash of a question: of each file's content and each argument's text.
    /// Errors: as content_id().
    [[nodiscard]] static Result<std::string> key(const std::vector<std::string>& files,
                                                 const std::vector<std::string>& arguments);

    /// Returns a kept answer when its file is whole and the files on which it depends are
    /// unchanged.
    /// Errors: not_found when nothing is kept; invalid_input when the kept answer is unusable or
    /// its directory is not this user's alone. The message says why.
    /// Cost: the answer's file and the files on which it depends are read.
    [[nodiscard]] Result<KeptPlan> find(const std::string& key) const;

    /// Tells whether a planner has begun to write this answer and not finished: it is still
    /// writing, or died.
    /// Cost: the directory is read.
    [[nodiscard]] bool is_begun(const std::string& key) const;

    static constexpr unsigned most_launches = 3;  ///< that may improve an answer

    /// Keeps an answer. Above 256 answers or 64 MiB the oldest answers are removed.
    /// Errors: io.
    [[nodiscard]] Status keep(const std::string& key, const KeptPlan& plan) const;

    /// Locks the cache until the process ends, where the file system knows locks.
    /// @return  owns nothing when another process has the lock, or when there is no directory that
    ///          can be written
    [[nodiscard]] FileDescriptor lock() const;

    /// The file that keep() writes.
    struct File {
        std::string path;
        std::string content;
    };
    /// Returns the file that keep() would write, for a caller that writes it itself. The directory
    /// exists afterwards.
    /// Errors: io; out_of_range for more than 64 MiB.
    [[nodiscard]] Result<File> file_of(const std::string& key, const KeptPlan& plan) const;

private:
    static void throw_old_away(const std::string& directory);

    std::string profiles_;
    FileVisibility visibility_;
    std::string directory_;
};

}  // namespace commmap
