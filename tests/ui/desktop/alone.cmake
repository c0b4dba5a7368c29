# Read by ctest when the cases are known. Stalls are measured, which other tests beside would disturb.
set_tests_properties(ui_desktop.Scenario.NothingBlocksTheWindow PROPERTIES RUN_SERIAL ON)
