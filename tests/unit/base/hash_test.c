// Hashes against published values.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/hash.h"
#include "base/sha256.h"

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

// part: how many bytes go in at once.
static void check(const char *message, size_t repeat, size_t part, const char *expected)
{
    tn_sha256 sha;
    unsigned char digest[32];
    char text[65];
    tn_sha256_start(&sha);
    for (size_t i = 0; i < repeat; i++) {
        size_t size = strlen(message);
        for (size_t from = 0; from < size; from += part) {
            tn_sha256_add(&sha, message + from, size - from < part ? size - from : part);
        }
    }
    tn_sha256_finish(&sha, digest);
    tn_sha256_hex(digest, text);
    assert_string_equal(text, expected);
}

// NIST's examples for FIPS 180-4: "abc", two blocks, a million times "a", nothing.
static void sha256_matches_nist(void **state)
{
    for (size_t part = 1; part <= 65; part += 16) {
        check("", 1, part, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        check("abc", 1, part, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1, part,
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        check("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
              "nopqrstu",
              1, part, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    }
    check("aaaaaaaaaa", 100000, 10, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fnv_matches_the_draft),
        cmocka_unit_test(sha256_matches_nist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
