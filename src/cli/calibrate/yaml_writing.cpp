// SPDX-FileCopyrightText: The commmap authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/calibrate/yaml_writing.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "cli/calibrate/measuring_step.hpp"
#include "cli/command.hpp"
#include "core/base/file.hpp"
#include "core/text/one_line.hpp"
#include "core/topology/cluster_yaml.hpp"
#include "core/topology/editing/edited_cluster.hpp"

namespace commmap::cli {
namespace {

/// How two texts differ, as `diff -u` says it.
Result<std::string> difference(const ClusterFile& file, const std::string& text) {
    const std::string label = "--label=" + one_line(file.path, 200);
    std::string lines;
    const auto code = run_program({"diff", "-u", label, label, "--", file.path, "-"}, text,
                                  [&](const std::string& line) { lines += line + '\n'; });
    if (!code) return code.error();
    if (code.value() > 1) {
        return Error{Errc::io, fmt::format("'diff' ended with exit code {}", code.value())};
    }
    return lines;
}

bool says_yes(const std::string& question) {
    std::fputs(question.c_str(), stderr);
    std::fflush(stderr);
    std::string answer;
    if (!std::getline(std::cin, answer)) std::fputc('\n', stderr);
    return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace

Result<ClusterFile> read_cluster_file(const std::string& path) {
    auto text = read_file(path, max_cluster_yaml_bytes);
    if (!text) return Error{text.error().code, one_line(text.error().message)};
    auto cluster = parse_cluster_yaml(text.value(), path);
    if (!cluster) return cluster.error();
    return ClusterFile{path, std::move(text).value(), std::move(cluster).value()};
}

Consent consent_of(bool yes) {
    if (yes) return Consent::given;
    const bool terminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
    return terminal ? Consent::is_asked : Consent::nobody;
}

Result<std::string> edited_text(const ClusterFile& file, const std::vector<LinkEdit>& edits,
                                const std::vector<SwitchEdit>& switches) {
    auto text = edit_links(file.text, file.path, edits, switches);
    if (!text) return text.error();
    const auto refuse = [](const Error& error) {
        return Error{error.code, error.message + " (in the text that would be written)"};
    };
    const auto cluster = parse_cluster_yaml(text.value(), file.path);
    if (!cluster) return refuse(cluster.error());
    if (const auto hct = build_hct(cluster.value(), whole_cluster(cluster.value())); !hct) {
        return refuse(hct.error());
    }
    if (Status checked = check_edited(file.cluster, cluster.value(), edits, switches); !checked) {
        return Error{checked.error().code,
                     fmt::format("{}: {}", one_line(file.path, 200), checked.error().message)};
    }
    return text;
}

Status write_cluster_file(const ClusterFile& file, const std::string& text, Consent consent) {
    if (consent != Consent::given) {
        // A difference from the old text would take back what others have changed meanwhile.
        const auto now = read_file(file.path, max_cluster_yaml_bytes);
        if (!now) return Error{now.error().code, one_line(now.error().message)};
        if (now.value() != file.text) {
            return Error{Errc::invalid_input,
                         fmt::format("{} was changed meanwhile, and is not written",
                                     commmap::quoted(file.path, 200))};
        }
        const auto lines = difference(file, text);
        if (!lines) return lines.error();
        if (Status shown = write_output("", lines.value()); !shown) return shown;
    }
    const std::string name = commmap::quoted(file.path, 200);
    if (consent == Consent::nobody) {
        std::fprintf(stderr,
                     "commmap: %s is not written, because nobody can be asked: say --yes, or give "
                     "these lines to 'patch'\n",
                     name.c_str());
        return Ok{};
    }
    if (consent == Consent::is_asked && !says_yes(fmt::format("Write {}? [y/N] ", name))) {
        std::fprintf(stderr, "commmap: %s is not written\n", name.c_str());
        return Ok{};
    }
    if (Status written = replace_file(file.path, file.text, text); !written) return written;
    return write_output("", fmt::format("{} is written\n", name));
}

}  // namespace commmap::cli
