#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/readers.hpp"
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
    /// @param profiles  the directory of profiles, made when something is kept, for those readers;
    ///                  plans/ in it is for the user alone
    explicit PlanCache(const std::string& profiles, Readers readers = Readers::user)
        : profiles_(profiles), readers_(readers), directory_(profiles + "/plans") {}

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

    std::string profiles_;
    Readers readers_;
    std::string directory_;
};

}  // namespace commmap
