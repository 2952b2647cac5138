#pragma once

#include <slurm/spank.h>

#include <string>

#include "core/base/result.hpp"

namespace commmap::spank {

/// What happens in srun. One object for the life of the process.
class LocalContext {
public:
    /// Options from plugstack.conf and the environment; one line for each that makes no sense.
    void init(int argc, char** argv);
    /// A value of --commmap, from the command line or handed on by salloc or sbatch; the last one
    /// wins.
    [[nodiscard]] Status option(const std::string& value);
    /// Plans a step inside an allocation and, when there is something to gain, does not return:
    /// srun is started again in the planned order. In that second srun: reads and forgets the host
    /// file.
    [[nodiscard]] Status post_opt();
    /// In the second srun: compares the layout that Slurm made with the planned one.
    [[nodiscard]] Status user_init(spank_t spank);

private:
    struct State;
    static State& state();
};

}  // namespace commmap::spank
