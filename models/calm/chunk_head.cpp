#include "models/calm/chunk_head.h"

#include <fmt/format.h>
#include <torch/torch.h>

namespace kurve::models::calm {

at::Tensor DrawRandom::numbers(ChunkPlaces::Draw draw, std::int64_t width, std::int64_t step,
                               c10::Device device) const {
    const StreamId id(seed, fmt::format("calm.draw/{}/{}", attempt, step), chunk);
    std::vector<at::Tensor> all;
    for (std::size_t i = 0; i < rows.size();) {
        std::size_t end = i + 1;  // rows that follow each other are drawn together
        while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
        all.push_back(draw({static_cast<std::int64_t>(end - i), width}, {id, rows[i]}, device));
        i = end;
    }
    return all.size() == 1 ? all.front() : at::cat(all);
}

}  // namespace kurve::models::calm
