#include "pmix_hooks/profile_writer.hpp"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "core/profile/profile_merge.hpp"
#include "core/profile/rank_report.hpp"
#include "core/profile/store.hpp"
#include "pmix_hooks/arena.hpp"
#include "pmix_hooks/environment.hpp"
#include "pmix_hooks/mpi_library.hpp"
#include "pmix_hooks/own_executable.hpp"

namespace commmap::hooks {

Result<std::string> profile_directory() {
    if (std::string directory = environment("COMMMAP_PROFILE_DIR"); !directory.empty()) {
        if (directory.starts_with('/')) return directory;
        // against which directory: the one that the program began in, or the one it is in now?
        return Error{Errc::invalid_input,
                     "COMMMAP_PROFILE_DIR is '" + directory + "'; it must be an absolute path"};
    }
    if (std::string cache = environment("XDG_CACHE_HOME"); cache.starts_with('/'))
        return cache + "/commmap";
    if (std::string home = environment("HOME"); home.starts_with('/'))
        return home + "/.cache/commmap";
    return Error{Errc::not_found, "neither COMMMAP_PROFILE_DIR nor HOME is set"};
}

Readers profile_readers() {
    return environment("COMMMAP_PROFILE_READERS") == "group" ? Readers::group : Readers::user;
}

std::string mpi_library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (PMPI(Get_library_version)(text, &length) != MPI_SUCCESS) return "";
    const std::string version(text);
    return version.substr(0, version.find('\n'));
}

std::string recorded_command() {
    std::string command = environment("COMMMAP_APP_PATH");
    return command.empty() ? own_path() : command;
}

Result<std::string> write_profile(Gathered gathered) {
    if (gathered.end == Gathered::End::too_large)
        return Error{Errc::out_of_range, "what the ranks recorded is more than " +
                                             std::to_string(max_gathered_bytes >> 20) + " MiB"};
    if (gathered.end != Gathered::End::complete)
        return Error{Errc::io,
                     "a rank could not send what it recorded (no memory, or an MPI error)"};
    std::vector<RankReport> reports;
    reports.reserve(gathered.reports.size());
    for (std::string& held : gathered.reports) {
        const std::string bytes = std::move(held);  // freed as soon as it is decoded
        if (bytes.empty())
            return Error{Errc::io, "a rank needed more than " +
                                       std::to_string(Arena::max_bytes >> 20) +
                                       " MiB to record all it sent, or MPI refused"};
        Result<RankReport> report = decode_rank_report(bytes);
        if (!report) return report.error();
        reports.push_back(std::move(report).value());
    }
    Result<Profile> merged = merge_rank_reports(std::move(reports));
    if (!merged) return merged.error();
    Profile& profile = merged.value();
    if (profile.application_id.empty())
        return Error{Errc::io, "the program's own file '" + own_path() +
                                   "' cannot be read; set COMMMAP_APP_ID"};
    if (profile.programs.empty()) profile.command = recorded_command();
    profile.mpi_library = mpi_library();
    profile.recorder_version = COMMMAP_VERSION;
    profile.recorded_unix_s = static_cast<std::uint64_t>(std::time(nullptr));
    const auto number = [](const char* variable) {
        return static_cast<std::uint32_t>(std::strtoul(environment(variable).c_str(), nullptr, 10));
    };
    profile.job_id = number("SLURM_JOB_ID");
    profile.step_id = number("SLURM_STEP_ID");

    const Result<std::string> directory = profile_directory();
    if (!directory) return directory.error();
    const ProfileStore store(directory.value(), nullptr, profile_readers());
    const auto saved = store.save(profile);
    if (!saved) {
        const Error& e = saved.error();
        const bool directory_failed = e.code == Errc::io || e.code == Errc::not_found;
        return Error{
            e.code,
            e.message + (directory_failed
                             ? "; set COMMMAP_PROFILE_DIR to a directory that can be written"
                             : "")};
    }

    TrafficSum sent;
    for (const Phase& phase : profile.phases) {
        const TrafficSum more = sum_of(phase.sent.cells());
        sent.count += more.count;
        sent.bytes += more.bytes;
    }
    return "recorded " + std::to_string(profile.num_ranks()) + " ranks, " +
           std::to_string(sent.count) + " messages, " + std::to_string(sent.bytes) + " bytes in '" +
           saved.value() + "'";
}

}  // namespace commmap::hooks
