#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace commmap {

/// Answers of the planner, kept beside the user's profiles: the same question about the same files
/// is not worked out twice.
///
/// One file for each question, named by its hash. What the answer depends on besides the question -
/// the files that the cluster YAML names - is kept in it with its hash and compared before the
/// answer is given. Nothing here fails a launch: what cannot be read or written is no answer.
class PlanCache {
public:
    /// @param directory  made when something is kept (0700)
    explicit PlanCache(std::string directory) : directory_(std::move(directory)) {}

    /// The question: every file by its content, every argument by its text. Errors: those of
    /// content_id.
    [[nodiscard]] static Result<std::string> key(const std::vector<std::string>& files,
                                                 const std::vector<std::string>& arguments);

    /// The answer when there is one that is whole and whose files are unchanged. Cost: those files
    /// are read.
    [[nodiscard]] std::optional<std::string> find(const std::string& key) const;

    /// Keeps an answer, and throws the oldest away above 256 of them or 64 MiB. Errors: io.
    [[nodiscard]] Status keep(const std::string& key, const std::vector<std::string>& files,
                              std::string_view answer) const;

private:
    [[nodiscard]] std::string path_of(const std::string& key) const;
    void throw_old_away() const;

    std::string directory_;
};

}  // namespace commmap
