#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/bench_program.hpp"
#include "common/neighbour_exchange.hpp"
#include "common/process_grid.hpp"

namespace commmap::bench {
namespace {

/// Every rank swaps a message with its two neighbours on a ring.
class RingProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "ring"; }
    [[nodiscard]] std::string summary() const override {
        return "Exchange with both neighbours on a ring of ranks";
    }
    void add_options(CLI::App& app) override {
        app.add_option("--scramble", scramble_,
                       "order of the ranks on the ring is random with this seed; 0: rank order")
            ->capture_default_str();
    }
    void prepare(RunContext& context) override {
        constexpr int to_left = 0;
        constexpr int to_right = 1;
        bytes_ = context.options().message_bytes;
        const int ranks = context.num_ranks();
        const ProcessGrid ring(ranks, 1, std::to_string(ranks), scramble_);
        const int left = ring.neighbour(context.rank(), 0, -1, true);
        const int right = ring.neighbour(context.rank(), 0, +1, true);
        std::vector<Neighbour> neighbours;
        if (ranks > 1) {
            neighbours.push_back({left, bytes_, to_left, to_right});
            neighbours.push_back({right, bytes_, to_right, to_left});
        }
        exchange_.emplace(context, std::move(neighbours));
    }
    void iterate(std::uint64_t iteration) override { exchange_->run(iteration); }
    [[nodiscard]] std::uint64_t message_bytes() const override { return bytes_; }

private:
    std::uint64_t scramble_ = 0;
    std::uint64_t bytes_ = 0;
    std::optional<NeighbourExchange> exchange_;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::RingProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
