#include "report/run/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using testing::ElementsAre;

const Figure* Find(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& figure : figures)
    if (figure.name == name) return &figure;
  return nullptr;
}

TEST(Figures, EachSaysWhatItRestsOnAndHowSureItIs) {
  core::RunRecord run = RunBuilder{}.Build();
  for (core::LedgerRow& row : run.ledger)
    if (row.component == core::Component::kCpu) row.source = core::EnergySource::kCounter;
  run.spec.scope = core::MeterScope::kMachine;
  const Summary summary = Summarise(run);
  const auto figures = FiguresOf(run, summary);
  const Figure* cpu = Find(figures, "cpu_energy_j");
  ASSERT_NE(cpu, nullptr);
  EXPECT_EQ(cpu->basis, "measured");
  EXPECT_NEAR(cpu->band.low, 0.9 * cpu->value, 1e-6);
  EXPECT_NEAR(cpu->band.high, 1.1 * cpu->value, 1e-6);
  EXPECT_EQ(Find(figures, "ram_energy_j")->basis, "estimated");
  EXPECT_EQ(Find(figures, "energy_j")->basis, "partly measured");
  const Figure* emissions = Find(figures, "emissions_g");
  EXPECT_EQ(emissions->basis, "estimated");
  EXPECT_THAT(emissions->sources, ElementsAre("cpu: counter", "ram: model", "intensity: measured"));
  EXPECT_LT(emissions->band.low, emissions->value);
  EXPECT_EQ(Find(figures, "gpu_energy_j"), nullptr) << "there is none";

  run.spec.scope = core::MeterScope::kProcessTree;
  const auto shared = FiguresOf(run, Summarise(run));
  EXPECT_EQ(Find(shared, "cpu_energy_j")->basis, "estimated");
  EXPECT_THAT(Find(shared, "cpu_energy_j")->sources, ElementsAre("cpu: counter, shared by use"));
}

TEST(Figures, AFigurePerUnitOfWorkIsAsSureAsTheWhole) {
  RunBuilder builder;
  builder.work.samples = 1000;
  const core::RunRecord run = builder.Build();
  const auto figures = FiguresOf(run, Summarise(run));
  for (const auto& [per_unit, whole] : {std::pair("energy_per_sample_j", "energy_j"),
                                        std::pair("emissions_per_sample_g", "emissions_g")}) {
    const Figure *part = Find(figures, per_unit), *all = Find(figures, whole);
    ASSERT_TRUE(part && all) << per_unit;
    EXPECT_NEAR(part->value, all->value / 1000, 1e-9);
    EXPECT_NEAR(part->band.low, all->band.low / 1000, 1e-9);
    EXPECT_NEAR(part->band.high, all->band.high / 1000, 1e-9);
    EXPECT_EQ(part->basis, all->basis);
    EXPECT_EQ(part->sources, all->sources);
  }
  EXPECT_EQ(Find(figures, "energy_per_token_j"), nullptr);
}

TEST(Figures, UnknownIntensityHasNoEmissions) {
  core::RunRecord run = RunBuilder{}.Build();
  run.signal = {};
  for (core::LedgerRow& row : run.ledger) row.intensity.reset();
  const auto figures = FiguresOf(run, Summarise(run));
  EXPECT_EQ(Find(figures, "emissions_g"), nullptr);
  EXPECT_NE(Find(figures, "energy_j"), nullptr);
  EXPECT_TRUE(FiguresOf({}, {}).empty());
}

}  // namespace
}  // namespace ebb::report
