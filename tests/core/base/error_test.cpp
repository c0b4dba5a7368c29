#include "core/base/error.h"

#include <gtest/gtest.h>

#include <new>
#include <type_traits>

namespace gantry {
namespace {

static_assert(std::is_nothrow_copy_constructible_v<ResourceError>);

TEST(Error, AdviceIsForTheCommandLineAlone) {
    const ResourceError error("The memory does not suffice.",
                              {.code = ErrorCode::hostMemory, .advice = "Use --memory 16G."});
    EXPECT_EQ(error.message(), "The memory does not suffice.");
    EXPECT_STREQ(error.what(), "The memory does not suffice. Use --memory 16G.");
    EXPECT_EQ(messageOf(error), error.message());
    EXPECT_STREQ(InputError("views is 0", {.advice = "Use --views."}).what(),
                 "views is 0. Use --views.");
}

TEST(Error, TellsCodeAndFieldToWhoeverCatchesTheBase) {
    try {
        throw InputError("views is 0", {.code = ErrorCode::notAScan, .field = "trajectory.views"});
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::notAScan);
        EXPECT_EQ(error.field(), "trajectory.views");
    }
    EXPECT_EQ(InputError("views is 0").code(), ErrorCode::none);
}

TEST(Error, OtherExceptionsHaveAMessageToo) {
    EXPECT_EQ(messageOf(std::runtime_error("broken")), "broken.");
    EXPECT_EQ(detailsOf(std::runtime_error("broken")).code, ErrorCode::none);
    EXPECT_EQ(detailsOf(std::bad_alloc()).code, ErrorCode::hostMemory);
}

TEST(Error, AFaultOfTheProgramIsSaidToBeOne) {
    EXPECT_EQ(
        messageOf(InternalError("the stage has no name")),
        "Internal error: the stage has no name. Please report it to the developers of Gantry.");
}

TEST(Error, CodesAreFoundByTheNamesInFiles) {
    for (const ErrorCode code :
         {ErrorCode::none, ErrorCode::unknownFormat, ErrorCode::notAScan, ErrorCode::missingFile,
          ErrorCode::damagedFile, ErrorCode::hostMemory, ErrorCode::deviceMemory, ErrorCode::disk})
        EXPECT_EQ(parseErrorCode(name(code)), code) << name(code);
    EXPECT_EQ(parseErrorCode("of a later version"), ErrorCode::none);
}

TEST(Error, OfAFieldIsToldWithItsNameWhereNoFormShowsIt) {
    const FieldError error("trajectory.arcDeg", "an arc of 90° is too short");
    EXPECT_EQ(error.message(), "an arc of 90° is too short");
    EXPECT_STREQ(error.what(), "trajectory.arcDeg: an arc of 90° is too short");
    EXPECT_EQ(error.field(), "trajectory.arcDeg");
}

}  // namespace
}  // namespace gantry
