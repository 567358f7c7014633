#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/clock.h"
#include "kube/api/objects.h"
#include "kube/client/backoff.h"
#include "kube/client/resource.h"
#include "kube/client/transport.h"

namespace sumac::kube {

/// A failed request: an error answer of the API server, or no answer at all.
struct Failure {
  int status = 0;       // HTTP; 0: no answer, the server may have acted or not (see is_unsent)
  std::string reason;   // of the Status object: "AlreadyExists", "Conflict", "Invalid", "Expired"
  std::string message;  // for people: what was asked, and what the server said
  std::optional<std::chrono::seconds> retry_after;
  bool is_unsent = false;    // the server has not seen the request
  bool is_stopped = false;   // we ended the request ourselves
  bool is_too_long = false;  // the answer is longer than we take

  bool isNotFound() const { return status == 404; }
  bool alreadyExists() const { return status == 409 && reason == "AlreadyExists"; }
  bool isConflict() const { return status == 409 && reason != "AlreadyExists"; }
  bool isExpired() const { return status == 410; }
  bool isInvalid() const { return status == 422 || status == 400; }
  bool isForbidden() const {
    return status == 403;
  }  // quota too: reason Forbidden, "exceeded quota"
  /// Asking again unchanged may help.
  bool isTransient() const;
};

/// `object` is null exactly when `failure` is set.
struct Reply {
  std::shared_ptr<const nlohmann::json> object;
  std::optional<Failure> failure;

  explicit operator bool() const { return !failure.has_value(); }
};

struct DeleteOptions {
  std::string uid;  // precondition: only this very object; empty: whatever has the name
  std::optional<std::int64_t> grace_seconds;  // 0: at once
  std::string propagation = "Background";
};

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  int page = 100;  // objects an answer has at first: fewer where it would be too long
};

/// A list without its items, which were handed over one by one.
struct ListEnd {
  std::string resource_version;
  std::optional<Failure> failure;
};

/// Waits for permission to send a request: a token bucket shared by all who write. False: stop.
using Throttle = std::function<bool(const std::stop_token&)>;

/// Verbs of the API server on JSON objects. Blocks the calling thread; safe from any thread. Reads
/// are tried again a few times on their own (connection lost, 429 with Retry-After, 5xx); writes
/// only where no answer proves that nothing happened (429): all else is for the caller, whose
/// objects have fixed names. An interface, so that reconcilers are tested without sockets.
class Client {
 public:
  virtual ~Client() = default;

  virtual Reply get(const Resource& resource, const api::ObjectKey& key) = 0;
  virtual Reply create(const Resource& resource, const std::string& name_space,
                       const nlohmann::json& object) = 0;
  /// PUT; `object` carries metadata.resourceVersion, and a stale one is a conflict.
  virtual Reply replace(const Resource& resource, const api::ObjectKey& key,
                        std::string_view subresource, const nlohmann::json& object) = 0;
  /// JSON merge patch.
  virtual Reply patch(const Resource& resource, const api::ObjectKey& key,
                      std::string_view subresource, const nlohmann::json& patch) = 0;
  /// Success, and 404, give no failure.
  virtual Reply remove(const Resource& resource, const api::ObjectKey& key,
                       const DeleteOptions& options) = 0;
  /// All pages of a list; each item is handed over. A page that is too long is asked for again with
  /// half as many objects, down to one. A page whose token expired begins the list again after
  /// `on_restart`.
  virtual ListEnd list(const Resource& resource, const std::string& name_space,
                       const ListOptions& options,
                       const std::function<void(const nlohmann::json&)>& on_item,
                       const std::function<void()>& on_restart) = 0;
};

struct ClientOptions {
  Duration timeout = std::chrono::seconds(30);  // of one request
  Throttle throttle;                            // before each request; empty: none
  Sleep sleep = sleepFor;                       // between tries
  Jitter jitter = jitterFrom(0);                // of the waits; main seeds it
};

/// The client over a transport, which outlives it. `stop` ends waits and calls.
std::unique_ptr<Client> makeClient(Transport& transport, ClientOptions options,
                                   std::stop_token stop);
std::unique_ptr<Client> makeClient(Transport& transport, Throttle throttle, std::stop_token stop);

/// The failure that an answer other than 2xx, or none, stands for. `asked` names verb and object:
/// "create pods default/mnist-worker-0". The Status object in the body is read where there is one.
Failure failureOf(const std::string& asked, const Response& response);
/// The same for a Status object that came by other ways, such as in a watch.
Failure failureOf(const std::string& asked, const nlohmann::json& status);

}  // namespace sumac::kube
