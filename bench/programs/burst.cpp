#include <mpi.h>

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/bench_program.hpp"
#include "common/message.hpp"

namespace commmap::bench {
namespace {

/// Each rank of the first half sends several messages at once to its partner, half of the ranks
/// further on, which answers with one when all have come. With one message an iteration takes two
/// latencies; each further message adds a gap. Of an odd number of ranks the last one is idle.
class BurstProgram : public BenchProgram {
public:
    [[nodiscard]] std::string name() const override { return "burst"; }
    [[nodiscard]] std::string summary() const override {
        return "Several messages at once between pairs of ranks, and an answer";
    }
    void add_options(CLI::App& app) override {
        app.add_option("--messages", num_messages_, "messages of a burst")
            ->capture_default_str()
            ->check(CLI::Range(1, 10'000));
    }
    void prepare(RunContext& context) override {
        context_ = &context;
        bytes_ = context.options().message_bytes;
        const int half = context.num_ranks() / 2;
        const int rank = context.rank();
        sends_ = rank < half;
        if (rank < 2 * half) partner_ = sends_ ? rank + half : rank - half;
        buffers_.assign(static_cast<std::size_t>(num_messages_), std::vector<std::byte>(bytes_));
        requests_.resize(buffers_.size());
    }
    void iterate(std::uint64_t iteration) override {
        if (partner_ < 0) return;
        if (sends_) {
            send_all(num_messages_, iteration);
            receive_all(1, iteration);
        } else {
            receive_all(num_messages_, iteration);
            send_all(1, iteration);
        }
    }
    [[nodiscard]] std::uint64_t message_bytes() const override { return bytes_; }

private:
    [[nodiscard]] MessageId id(int sender, int receiver, int number,
                               std::uint64_t iteration) const {
        return {context_->options().seed, sender, receiver, number, iteration};
    }

    void send_all(int count, std::uint64_t iteration) {
        for (int i = 0; i < count; ++i) {
            std::vector<std::byte>& buffer = buffers_[static_cast<std::size_t>(i)];
            fill_message(buffer, id(context_->rank(), partner_, i, iteration));
            context_->damage_if_asked(buffer);
        }
        for (int i = 0; i < count; ++i)
            MPI_Isend(buffers_[static_cast<std::size_t>(i)].data(), static_cast<int>(bytes_),
                      MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                      &requests_[static_cast<std::size_t>(i)]);
        MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
    }

    void receive_all(int count, std::uint64_t iteration) {
        for (int i = 0; i < count; ++i)
            MPI_Irecv(buffers_[static_cast<std::size_t>(i)].data(), static_cast<int>(bytes_),
                      MPI_BYTE, partner_, i, MPI_COMM_WORLD,
                      &requests_[static_cast<std::size_t>(i)]);
        MPI_Waitall(count, requests_.data(), MPI_STATUSES_IGNORE);
        for (int i = 0; i < count; ++i) {
            if (find_damage(buffers_[static_cast<std::size_t>(i)],
                            id(partner_, context_->rank(), i, iteration)))
                throw CheckError("message " + std::to_string(i) + " from rank " +
                                 std::to_string(partner_) + " of iteration " +
                                 std::to_string(iteration) + " is wrong");
        }
    }

    int num_messages_ = 64;
    std::uint64_t bytes_ = 0;
    bool sends_ = false;
    int partner_ = -1;
    std::vector<std::vector<std::byte>> buffers_;
    std::vector<MPI_Request> requests_;
    RunContext* context_ = nullptr;
};

}  // namespace
}  // namespace commmap::bench

int main(int argc, char** argv) {
    commmap::bench::BurstProgram program;
    return commmap::bench::run_program(argc, argv, program);
}
