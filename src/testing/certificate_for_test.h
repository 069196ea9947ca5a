#pragma once
// A certificate for a server on this machine, for the tests and benchmarks of its clients.

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "testing/scratch_directory.h"

namespace ebb {

/// A self-signed certificate for 127.0.0.1 and the name of agents, with its key. Both are PEM: the
/// certificate for a client to trust, the key for a server. The validity is given in seconds from
/// now.
struct Certificate {
  EVP_PKEY* key = EVP_RSA_gen(2048);
  X509* certificate = X509_new();
  std::filesystem::path folder = ScratchDirectory("certificate");
  std::string pem_file = (folder / "ca.pem").string(), key_file = (folder / "key.pem").string();

  explicit Certificate(long from_s = -3600, long until_s = 3600) {
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), from_s);
    X509_gmtime_adj(X509_getm_notAfter(certificate), until_s);
    X509_set_pubkey(certificate, key);
    X509_NAME* name = X509_get_subject_name(certificate);
    const auto* text = reinterpret_cast<const unsigned char*>("ebb test");
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    Extend(NID_subject_alt_name, "IP:127.0.0.1,DNS:ebb-agent");
    Extend(NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate, key, EVP_sha256());
    FILE* file = std::fopen(pem_file.c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
    file = std::fopen(key_file.c_str(), "w");
    PEM_write_PrivateKey(file, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(file);
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;
  ~Certificate() {
    X509_free(certificate);
    EVP_PKEY_free(key);
  }
  void Extend(int what, const char* value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }
};

}  // namespace ebb
