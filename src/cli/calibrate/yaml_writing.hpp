// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <vector>

#include "commmap/result.hpp"
#include "core/topology/cluster.hpp"
#include "core/topology/editing/link_edit.hpp"

namespace commmap::cli {

/// A cluster YAML as it was read.
struct ClusterFile {
    std::string path;
    std::string text;
    Cluster cluster;
};

/// Reads a cluster YAML.
/// Errors: those of read_cluster_yaml().
[[nodiscard]] Result<ClusterFile> read_cluster_file(const std::string& path);

/// Says who decides whether a file is written.
enum class Consent {
    given,     ///< --yes
    is_asked,  ///< somebody is at the terminal
    nobody     ///< the change is shown only
};
/// @param yes  whether --yes was given
[[nodiscard]] Consent consent_of(bool yes);

/// Makes the new text of a file, and checks it like `commmap topology check` and check_edited().
/// Errors: those of edit_links(), and a text that would be refused or mean another thing.
[[nodiscard]] Result<std::string> edited_text(const ClusterFile& file,
                                              const std::vector<LinkEdit>& edits,
                                              const std::vector<SwitchEdit>& switches = {});

/// Shows how a file is about to change, asks as far as that is wanted, and writes it in one step.
/// A refusal by the user is no error.
/// Errors: io and those of replace_file(); the file is as it was.
[[nodiscard]] Status write_cluster_file(const ClusterFile& file, const std::string& text,
                                        Consent consent);

}  // namespace commmap::cli
