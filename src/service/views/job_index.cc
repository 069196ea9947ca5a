#include "service/views/job_index.h"

#include <algorithm>
#include <atomic>

#include "engine/state.h"

namespace ebb::service {

// Settled emissions are those of all of the energy.
std::vector<core::UnitUse> JobCard::per_unit() const {
  const auto all = emissions_settled ? emissions_settled : emissions_of_all();
  return core::UsePerUnit(work, energy, all);
}

void JobTotals::Add(const JobCard& card) {
  const engine::Stage stage = card.explanation.stage;
  ++stages[static_cast<std::size_t>(stage)];
  energy += card.energy;
  if (const auto emitted = card.emitted()) {
    emissions += *emitted;
    any_emissions = true;
  }
  if (engine::HasEnded(stage))
    ended.Add(card.energy, card.emitted(), card.at_submission(), card.first_come());
}

JobTotals& JobTotals::operator+=(const JobTotals& other) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) stages[stage] += other.stages[stage];
  energy += other.energy;
  emissions += other.emissions;
  any_emissions = any_emissions || other.any_emissions;
  ended += other.ended;
  return *this;
}

JobTotals JobIndex::Totals() const {
  JobTotals all;
  for (const auto& chunk : chunks_) {
    if (!chunk) continue;
    const std::lock_guard lock(chunk->mutex);
    if (!chunk->totals) {
      chunk->totals.emplace();
      for (const auto& card : chunk->cards)
        if (card) chunk->totals->Add(*card);
    }
    all += *chunk->totals;
  }
  return all;
}

const JobCard* JobIndex::Find(core::JobId id) const {
  const auto index = static_cast<std::size_t>(id);
  if (id < 0 || index / kChunk >= chunks_.size()) return nullptr;
  const auto& chunk = chunks_[index / kChunk];
  return chunk ? chunk->cards[index % kChunk].get() : nullptr;
}

void JobIndex::ForEach(core::JobId first, const std::function<bool(const JobCard&)>& take) const {
  const auto begin = static_cast<std::size_t>(std::max<core::JobId>(first, 0));
  for (std::size_t at = begin / kChunk; at < chunks_.size(); ++at) {
    if (!chunks_[at]) continue;
    for (std::size_t slot = at == begin / kChunk ? begin % kChunk : 0; slot < kChunk; ++slot) {
      const auto& card = chunks_[at]->cards[slot];
      if (card && !take(*card)) return;
    }
  }
}

void JobIndex::ForEachChange(const JobIndex& before,
                             const std::function<void(core::JobId, const JobCard*)>& take) const {
  static const Chunk kEmpty;
  const auto chunk_of = [](const JobIndex& index, std::size_t at) {
    return at < index.chunks_.size() ? index.chunks_[at].get() : nullptr;
  };
  for (std::size_t at = 0; at < std::max(chunks_.size(), before.chunks_.size()); ++at) {
    const Chunk* now = chunk_of(*this, at);
    const Chunk* then = chunk_of(before, at);
    if (now == then) continue;
    for (std::size_t slot = 0; slot < kChunk; ++slot) {
      const JobCard* card = (now ? *now : kEmpty).cards[slot].get();
      if (card != (then ? *then : kEmpty).cards[slot].get())
        take(static_cast<core::JobId>(at * kChunk + slot), card);
    }
  }
}

// Copies a chunk before it is written if a published index shares it.
std::shared_ptr<const JobCard>& JobIndex::Cell(core::JobId id) {
  const auto index = static_cast<std::size_t>(id);
  if (index / kChunk >= chunks_.size()) chunks_.resize(index / kChunk + 1);
  std::shared_ptr<const Chunk>& chunk = chunks_[index / kChunk];
  if (!chunk) {
    chunk = std::make_shared<Chunk>();
  } else if (chunk.use_count() > 1) {
    chunk = std::make_shared<Chunk>(*chunk);
  } else {
    // No copy of the index shares the chunk; the fence orders the last reader before this write.
    std::atomic_thread_fence(std::memory_order_acquire);
  }
  // make_shared made a chunk that is not const, so it may be written.
  auto& writable = const_cast<Chunk&>(*chunk);
  writable.totals.reset();
  return writable.cards[index % kChunk];
}

std::size_t JobIndex::chunks() const {
  const auto holds = [](const auto& chunk) { return chunk != nullptr; };
  return static_cast<std::size_t>(std::count_if(chunks_.begin(), chunks_.end(), holds));
}

void JobIndex::Put(JobCard card) {
  const core::JobId id = card.submission->job.id;
  auto& cell = Cell(id);
  if (!cell) ++size_;
  cell = std::make_shared<const JobCard>(std::move(card));
}

void JobIndex::Erase(core::JobId id) {
  if (!Find(id)) return;
  Cell(id).reset();
  --size_;
  // Memory depends on the jobs that are left, not on how many there were.
  auto& chunk = chunks_[static_cast<std::size_t>(id) / kChunk];
  if (std::ranges::none_of(chunk->cards, [](const auto& card) { return card != nullptr; }))
    chunk.reset();
}

}  // namespace ebb::service
