#include "peers/peer_program.hpp"

#include <sys/resource.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace commmap::peers {
namespace {

/// User and system, of all threads.
double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double peak_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

void write_mapping(const PeerProgram::Mapping& mapping, const std::string& path) {
    std::string text;
    std::array<char, 16> digits{};
    for (const std::int32_t pu : mapping) {
        text.append(digits.data(),
                    std::to_chars(digits.data(), digits.data() + digits.size(), pu).ptr);
        text += '\n';
    }
    std::FILE* file = std::fopen(path.c_str(), "wb");
    if (file == nullptr) throw std::runtime_error("cannot open " + path);
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    if (std::fclose(file) != 0 || !written) throw std::runtime_error("cannot write " + path);
}

}  // namespace

PeerProgram::PeerProgram(const std::string& what_it_does) : app_(what_it_does) {
    app_.add_option("graph", graph_, "METIS file, edge weights in bytes")->required();
    app_.add_option("--tree", tree_, "arities from the lowest group upwards, as 8:2:8:8")
        ->required();
    app_.add_option("--distances", distances_, "one for each height, as 1:10:100:1000")->required();
    app_.add_option("--available", available_, "PUs that may be used, as 0-63,70 [all]");
    app_.add_flag("--spread", spread_,
                  "with fewer ranks than PUs: the same share of each group instead of the first");
    app_.add_option("--seed", seed_, "of random choices")->capture_default_str();
    app_.add_option("-o,--output", output_, "the mapping")->required();
}

int PeerProgram::run(int argc, char** argv, const std::function<Mapper()>& choose) {
    try {
        app_.parse(argc, argv);
        read_and_map(choose());
    } catch (const CLI::Success&) {
        std::fputs(app_.help().c_str(), stdout);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, error.what());
        return 1;
    }
    return 0;
}

void PeerProgram::read_and_map(const Mapper& mapper) const {
    const PeerProblem problem = read_problem();
    const double wall_before = wall_seconds();
    const double cpu_before = cpu_seconds();
    const Mapping mapping = mapper.map(problem);
    const double cpu = cpu_seconds() - cpu_before;
    const double wall = wall_seconds() - wall_before;
    write_mapping(mapping, output_);
    const nlohmann::ordered_json line{
        {"name", mapper.name}, {"user_s", cpu}, {"wall_s", wall}, {"peak_mib", peak_mib()}};
    std::puts(line.dump().c_str());
}

PeerProblem PeerProgram::read_problem() const {
    PeerProblem problem;
    problem.seed = seed_;
    problem.tree = parse_tree(tree_, distances_);
    const auto available = parse_pus(available_, problem.tree.num_pus());
    problem.graph = read_graph(graph_);
    problem.pus = choose_pus(problem.tree, available, problem.graph.num_ranks(),
                             spread_ ? Filling::spread : Filling::block);
    return problem;
}

}  // namespace commmap::peers
