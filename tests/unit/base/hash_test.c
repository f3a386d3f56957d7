// The hash against published values.
#include "base/hash.h"
#include "test.h"

// FNV-1a 64 bit: test vectors of the IETF draft "The FNV Non-Cryptographic Hash Algorithm", appendix C.
static void fnv_matches_the_draft(void **state)
{
    assert_true(tn_hash_bytes(TN_HASH_START, "", 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(tn_hash_bytes(TN_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(tn_hash_bytes(TN_HASH_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    uint64_t in_parts = tn_hash_bytes(tn_hash_bytes(TN_HASH_START, "foo", 3), "bar", 3);
    assert_true(in_parts == UINT64_C(0x85944171f73967e8));
    const double x[2] = {1.0, 2.0};
    assert_true(tn_hash_doubles(TN_HASH_START, x, 2) == tn_hash_bytes(TN_HASH_START, x, sizeof x));
    assert_true(tn_hash_text(tn_hash_text(TN_HASH_START, "ab"), "c") !=
                tn_hash_text(tn_hash_text(TN_HASH_START, "a"), "bc"));
    assert_true(tn_hash_long(TN_HASH_START, 1) != tn_hash_long(TN_HASH_START, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fnv_matches_the_draft),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
