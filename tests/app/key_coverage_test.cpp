#include <map>
#include <regex>

#include "app/config/schema.hpp"
#include "program.hpp"

// Every key has a test that sets it and shows its effect.
namespace cisolve::test {
namespace {

using TestsOfKeys = std::map<std::string, std::string>;

TestsOfKeys tests_of_problems() {
  return {
      {"problem.matrix", "EigenstatesTest.EveryMethodFindsTheStatesOfAChain"},
      {"problem.reference_columns", "KeysTest.TheRegionsOfAMatrixFileAreSet"},
      {"problem.generate.rows", "KeysTest.AProductIsTimedAsOftenAndWithAsManyVectorsAsRequested"},
      {"problem.generate.reference_share", "KeysTest.TheGeneratorObeysItsNumbers"},
      {"problem.generate.reference_per_row", "KeysTest.TheGeneratorObeysItsNumbers"},
      {"problem.generate.density", "KeysTest.TheGeneratorObeysItsNumbers"},
      {"problem.generate.spread", "KeysTest.TheGeneratorObeysItsNumbers"},
      {"problem.generate.seed", "KeysTest.EqualSeedsReproduceAndOthersDiffer"},
      {"problem.generate.symmetric", "KeysTest.TheGeneratorObeysItsNumbers"},
      {"problem.generate.pattern", "KeysTest.TheGeneratorMakesDiagonals"},
      {"problem.generate.diagonals", "KeysTest.TheGeneratorMakesDiagonals"},
      {"problem.fcidump",
       "StatesTest.SpinDependentIntegralsHaveDensitiesButNoSpinsAndNoNaturalOrbitals"},
      {"problem.one_electron_integrals",
       "ProblemFileTest.AFileWithoutOneElectronIntegralsIsRefusedUnlessTheModelHasNone"},
      {"problem.trexio", "SpacesTest.ATrexioFileAndAnFcidumpHaveEqualEnergies"},
      {"problem.nucleus_repulsion",
       "ProblemFileTest.ATrexioFileWithoutItsRepulsionIsRefusedUnlessTheModelHasNone"},
      {"problem.operators", "PropertiesTest.MissingOperatorsAreReportedWithTheRemedy"},
      {"problem.lattice.model", "LatticeJobs.TwoSpinsHaveTheirClosedForms"},
      {"problem.lattice.shape", "LatticeJobs.AGraphIsAnyLattice"},
      {"problem.lattice.layers", "LatticeJobs.AGraphIsAnyLattice"},
      {"problem.lattice.periodic_layers", "LatticeJobs.TubesOfCellsAndLayersAreLattices"},
      {"problem.lattice.t2", "LatticeJobs.NextNeighboursAreCoupled"},
      {"problem.lattice.jz", "LatticeJobs.TwoSpinsHaveTheirClosedForms"},
      {"problem.lattice.j2", "LatticeJobs.NextNeighboursAreCoupled"},
      {"problem.lattice.h", "LatticeJobs.TwoSpinsHaveTheirClosedForms"},
      {"problem.lattice.hx", "LatticeJobs.TwoSpinsHaveTheirClosedForms"},
      {"problem.lattice.bonds", "LatticeJobs.AGraphIsAnyLattice"},
      {"space.symmetry.momentum", "LatticeJobs.ARingIsSolvedInASectorAndInTheFullBasis"},
      {"space.symmetry.inversion", "LatticeJobs.ARingIsSolvedInASectorAndInTheFullBasis"},
      {"space.symmetry.columns", "LatticeJobs.ARingIsSolvedInASectorAndInTheFullBasis"},
      {"space.symmetry.rows", "LatticeJobs.APlaneHasItsKnownEnergyWithEveryMirrorSymmetry"},
      {"space.symmetry.layers", "LatticeJobs.AGraphIsAnyLattice"},
      {"space.symmetry.exchange", "LatticeJobs.APlaneHasItsKnownEnergyWithEveryMirrorSymmetry"},
      {"space.symmetry.rotation", "LatticeJobs.APlaneHasItsKnownEnergyWithEveryMirrorSymmetry"},
      {"space.symmetry.spin", "LatticeJobs.ARingIsSolvedInASectorAndInTheFullBasis"},
      {"analysis.correlations", "LatticeJobs.CorrelationsAreLeftOutOnRequest"},
      {"problem.lattice.columns", "SpacesTest.ATubeHasTheSameEnergiesAlongEitherAxis"},
      {"problem.lattice.rows", "SpacesTest.ATubeHasTheSameEnergiesAlongEitherAxis"},
      {"problem.lattice.periodic_columns", "SpacesTest.ATubeHasTheSameEnergiesAlongEitherAxis"},
      {"problem.lattice.periodic_rows", "SpacesTest.ATubeHasTheSameEnergiesAlongEitherAxis"},
      {"problem.lattice.t", "KeysTest.HoppingAndRepulsionsEqualThoseOfTheLattice"},
      {"problem.lattice.u", "KeysTest.HoppingAndRepulsionsEqualThoseOfTheLattice"},
      {"problem.lattice.v", "KeysTest.HoppingAndRepulsionsEqualThoseOfTheLattice"},
      {"problem.lattice.j", "LatticeJobs.TwoSpinsHaveTheirClosedForms"},
      {"problem.electrons", "EigenstatesTest.ImpossibleSpacesAreRefused"},
      {"problem.ms2", "SpinTest.HalfSpinsAndOtherProjectionsAreSpinsToo"},
      {"problem.orbital_symmetries", "EigenstatesTest.IrrepsAreNamedAsTheFileNumbersThem"},
      {"space.kind", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.level", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.electrons", "EigenstatesTest.ImpossibleSpacesAreRefused"},
      {"space.frozen", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.active", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.irrep", "EigenstatesTest.IrrepsDivideTheStates"},
      {"space.spin", "SpinTest.AnInterruptedJobContinuesWithItsSpin"},
      {"space.complete", "SpinTest.AnOpenShellHasStatesOfOneSpinAfterSpinCompletion"},
      {"space.reference", "SpacesTest.AReferenceThatIsNotTheLowestIsWarnedOf"},
      {"space.references", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.ras1", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.ras2", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.holes", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.particles", "EigenstatesTest.SpacesOfWaterHaveTheirEnergies"},
      {"space.determinants", "SpacesTest.AListOfDeterminantsSpansTheSpace"},
      {"space.alpha", "SpacesTest.AProductOfStringsSpansTheSpace"},
      {"space.beta", "SpacesTest.AProductOfStringsSpansTheSpace"},
      {"space.partition", "SpacesTest.APartitionDividesTheMatrixAndLeavesTheStates"},
      {"selection.epsilon", "SelectedTest.ThresholdsLeadToTheEnergyOfTheWholeSpace"},
      {"selection.size", "SelectedTest.HaveTheRequestedSizeAndTheBestDeterminants"},
      {"selection.perturbation.kind", "SelectedTest.CanBeReadBackAsLists"},
      {"selection.perturbation.epsilon", "SelectedTest.PerturbationAndExtrapolationApproachFullCi"},
      {"selection.extrapolate", "SelectedTest.CanBeReadBackAsLists"},
      {"storage.format", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.boundary", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.policy", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.slice_height", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.block_size", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.elements", "KeysTest.FormatsObeyTheirOptions"},
      {"storage.share", "SpacesTest.TheRequestedFractionOfElementsIsStored"},
      {"storage.threshold", "SpacesTest.AThresholdLeavesElementsOutAndIsReported"},
  };
}

// On a host device_memory has no effect but must be accepted.
TestsOfKeys tests_of_solutions() {
  return {
      {"solver.method", "EigenstatesTest.EveryMethodFindsTheStatesOfAChain"},
      {"solver.states", "EigenstatesTest.MoreStatesThanRowsAreAllOfThemWithAWarning"},
      {"solver.tolerance", "FaultsTest.ALanguageWithDecimalCommasChangesNothing"},
      {"solver.max_iterations", "EigenstatesTest.TheLimitOfIterationsIs3AndClaimsNothing"},
      {"solver.basis", "KeysTest.ASearchSpaceMayBeStagedOnTheHost"},
      {"solver.search", "KeysTest.TheSearchForMissedStatesIsLimitedOrLeftOut"},
      {"solver.seed", "KeysTest.TheSolverSeedChangesTheIterationsAndNotTheState"},
      {"solver.start", "SpacesTest.EveryStartConvergesToTheSameState"},
      {"solver.start_from", "FollowTest.StatesOfAnotherJobCanBeFollowed"},
      {"solver.follow", "FollowTest.AnExcitedConfigurationLeadsToItsState"},
      {"solver.near", "NearTest.StatesOfEachMethodAreTheNearest"},
      {"solver.follow_overlap", "CarriedTest.OverlapsOfOrbitalsCarryAStateThroughARotation"},
      {"solver.follow_state", "FollowTest.AStateOfASmallerSpaceLeadsToThatOfALargerOne"},
      {"solver.model_size", "EigenstatesTest.AModelSpaceSavesProductsAndGivesTheSameStates"},
      {"solver.verification", "KeysTest.ProductsAreVerifiedInAllRowsOrInASample"},
      {"analysis.densities", "StatesTest.DensitiesAreLeftOutOnRequestAndReported"},
      {"analysis.determinants", "StatesTest.DensitiesAreLeftOutOnRequestAndReported"},
      {"analysis.properties", "PropertiesTest.NothingIsComputedUnlessRequested"},
      {"analysis.entropies", "DescribedStatesTest.EntropiesAreReportedIfRequested"},
      {"analysis.orbitals", "OrbitalsOfStatesTest.TransitionOrbitalsAreThereIfTheyAreAskedFor"},
      {"analysis.dyson", "OrbitalsOfStatesTest.DysonOrbitalsAreThoseOfPyscf"},
      {"product.vectors", "KeysTest.AProductIsTimedAsOftenAndWithAsManyVectorsAsRequested"},
      {"product.repeat", "KeysTest.AProductIsTimedAsOftenAndWithAsManyVectorsAsRequested"},
      {"product.seed", "KeysTest.EqualSeedsReproduceAndOthersDiffer"},
      {"backend", "SweepTest.BackendsAndThreadsAreSweptToo"},
      {"threads", "SweepTest.BackendsAndThreadsAreSweptToo"},
      {"memory", "SweepTest.APointThatFailsIsListedWithItsReason"},
      {"device_memory", "SpacesTest.ATubeHasTheSameEnergiesAlongEitherAxis"},
      {"rates", "KeysTest.MeasuredRatesApplyUnlessBuiltInOnesAreRequested"},
      {"output.directory", "SweepTest.EnergiesAreTheSameAtAllStoragePoints"},
      {"output.vectors", "SpacesTest.TheDeterminantsOfAResultSpanTheSameSpace"},
      {"output.history", "SpacesTest.EveryRequestedFileIsWrittenAndNoneOverwritten"},
      {"output.trexio", "SpacesTest.EveryRequestedFileIsWrittenAndNoneOverwritten"},
      {"output.molden", "OrbitalFilesTest.FilesAreWrittenForTheProblemAndEachState"},
      {"output.cube", "OrbitalFilesTest.FilesAreWrittenForTheProblemAndEachState"},
      {"output.cube_spacing", "OrbitalFilesTest.FilesAreWrittenForTheProblemAndEachState"},
      {"output.cube_margin",
       "OrbitalFilesTest.WhatCannotBeIsRefusedBeforeTheSolutionWithTheRemedy"},
      {"output.natural_fcidump",
       "OrbitalsOfStatesTest.IntegralsOverNaturalOrbitalsHaveTheSameFullCi"},
      {"output.units", "DescribedStatesTest.ExcitationsAreReportedInTheChosenUnit"},
      {"output.checkpoint", "FaultsTest.AFullFileSystemLosesNothingSaved"},
      {"sweep.repeat", "SweepTest.TableCsvAndJsonAgree"},
  };
}

const TestsOfKeys& tests_of_keys() {
  static const TestsOfKeys tests = [] {
    TestsOfKeys all = tests_of_problems();
    all.merge(tests_of_solutions());
    return all;
  }();
  return tests;
}

// The source text from the name of a test to the next one.
std::string body_of(const std::string& sources, const std::string& test) {
  const std::size_t dot = test.find('.');
  const std::size_t begin =
      sources.find("(" + test.substr(0, dot) + ", " + test.substr(dot + 1) + ")");
  if (begin == std::string::npos) return {};
  return sources.substr(begin, sources.find("\nTEST", begin) - begin);
}

TEST(Keys, EveryOneHasATestOfWhatItDoes) {
  std::string sources;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(CISOLVE_TESTS) / "app"))
    if (entry.path().extension() == ".cpp") sources += read_file(entry.path());
  for (const app::Key& key : app::schema()) {
    if (key.is_later()) continue;
    const auto found = tests_of_keys().find(key.path);
    ASSERT_NE(found, tests_of_keys().end()) << key.path << " has no test of what it does";
    const std::string body = body_of(sources, found->second);
    ASSERT_FALSE(body.empty()) << found->second << " is gone; what tests " << key.path << "?";
    const std::string name = key.path.substr(key.path.rfind('.') + 1);
    const std::regex mention("(^|[^\\w])(--)?" + name + "(:|=|\")");
    EXPECT_TRUE(std::regex_search(body, mention)) << found->second << " never sets " << key.path;
  }
  for (const auto& [key, test] : tests_of_keys())
    EXPECT_NE(app::find_key(key), nullptr) << key << " is no key";
}

}  // namespace
}  // namespace cisolve::test
