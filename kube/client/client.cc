#include "kube/client/client.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include <nlohmann/json.hpp>

#include "kube/api/members.h"
#include "kube/client/list_page.h"

namespace sumac::kube {
namespace {

using nlohmann::json;

// Of reads, where the server does not say when to come again: the caller has better things to do
// than wait for a server that is away.
constexpr int kRetries = 4;
// Where it does say so (429, 503): client-go's number.
constexpr int kRetriesWhenTold = 10;
// Of all waits of one call together, told or not: whoever calls has a back-off of its own, and must
// not look like a thread that hangs.
constexpr std::chrono::minutes kMostWaiting(3);
constexpr int kListRestarts = 3;
// Of a page with several objects: it is kept whole until it is read. One object has less.
constexpr std::size_t kMostPage = std::size_t{8} << 20;
constexpr std::chrono::milliseconds kFirstWait(200);
constexpr std::chrono::seconds kLongestWait(5);

std::string dumped(const json& object) {
  // Invalid UTF-8, from a pod's termination message say, becomes a replacement character.
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string wordsOf(std::string_view verb, const Resource& resource, const api::ObjectKey& key,
                    std::string_view subresource = {}) {
  std::string words = std::string(verb) + " " + std::string(resource.plural);
  if (!subresource.empty()) words += "/" + std::string(subresource);
  if (!key.name_space.empty()) words += " " + key.name_space;
  if (!key.name.empty()) words += (key.name_space.empty() ? " " : "/") + key.name;
  return words;
}

bool isSuccess(const Response& response) {
  return response.status >= 200 && response.status < 300;
}

json deleteBody(const DeleteOptions& options) {
  json body = {{"kind", "DeleteOptions"}, {"apiVersion", "v1"}};
  if (!options.propagation.empty()) body["propagationPolicy"] = options.propagation;
  if (!options.uid.empty()) body["preconditions"] = {{"uid", options.uid}};
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  return body;
}

class RestClient final : public Client {
 public:
  RestClient(Transport& transport, ClientOptions options, std::stop_token stop)
      : transport_(transport), options_(std::move(options)), stop_(std::move(stop)) {}

  Reply get(const Resource& resource, const api::ObjectKey& key) override {
    return objectFrom({Method::kGet, pathOf(resource, key.name_space, key.name), {}, {}, {}},
                      wordsOf("get", resource, key));
  }

  Reply create(const Resource& resource, const std::string& name_space,
               const json& object) override {
    Request request;
    const std::string name = api::textOf(api::memberOf(object, "metadata"), "name");
    request.method = Method::kPost;
    request.path = pathOf(resource, name_space);
    request.body = dumped(object);
    return objectFrom(request, wordsOf("create", resource, {name_space, name}));
  }

  Reply replace(const Resource& resource, const api::ObjectKey& key, std::string_view subresource,
                const json& object) override {
    Request request;
    request.method = Method::kPut;
    request.path = pathOf(resource, key.name_space, key.name, subresource);
    request.body = dumped(object);
    return objectFrom(request, wordsOf("replace", resource, key, subresource));
  }

  Reply patch(const Resource& resource, const api::ObjectKey& key, std::string_view subresource,
              const json& patch) override {
    Request request;
    request.method = Method::kPatch;
    request.path = pathOf(resource, key.name_space, key.name, subresource);
    request.content_type = "application/merge-patch+json";
    request.body = dumped(patch);
    return objectFrom(request, wordsOf("patch", resource, key, subresource));
  }

  Reply remove(const Resource& resource, const api::ObjectKey& key,
               const DeleteOptions& options) override {
    Request request;
    request.method = Method::kDelete;
    request.path = pathOf(resource, key.name_space, key.name);
    request.body = dumped(deleteBody(options));
    Reply reply = objectFrom(request, wordsOf("delete", resource, key));
    if (reply.failure && reply.failure->isNotFound()) {
      return {std::make_shared<const json>(json::object()), {}};
    }
    return reply;
  }

  ListEnd list(const Resource& resource, const std::string& name_space, const ListOptions& options,
               const std::function<void(const json&)>& on_item,
               const std::function<void()>& on_restart) override {
    const std::string asked = wordsOf("list", resource, {name_space, ""});
    std::string token;
    ListOptions page_options = options;
    for (int restarts = 0;;) {
      const Response response = ask(listRequest(resource, name_space, page_options, token), asked);
      if (!isSuccess(response)) {
        Failure failure = failureOf(asked, response);
        if (failure.is_too_long && page_options.page > 1) {
          page_options.page /= 2;
          continue;
        }
        if (!failure.isExpired() || token.empty() || ++restarts > kListRestarts) {
          return {"", std::move(failure)};
        }
        token.clear();
        on_restart();
        continue;
      }
      auto page = readListPage(response.body, on_item);
      if (!page) return {"", Failure{0, "", asked + ": " + page.error().message, {}}};
      token = page->next;
      if (token.empty()) return {page->resource_version, {}};
    }
  }

 private:
  static Request listRequest(const Resource& resource, const std::string& name_space,
                             const ListOptions& options, const std::string& token) {
    Request request;
    request.path = pathOf(resource, name_space);
    if (options.page > 0) request.query.emplace_back("limit", std::to_string(options.page));
    if (options.page > 1) request.most_answer = kMostPage;
    if (!options.label_selector.empty()) {
      request.query.emplace_back("labelSelector", options.label_selector);
    }
    if (!options.field_selector.empty()) {
      request.query.emplace_back("fieldSelector", options.field_selector);
    }
    if (!token.empty()) request.query.emplace_back("continue", token);
    return request;
  }

  Reply objectFrom(const Request& request, const std::string& asked) {
    const Response response = ask(request, asked);
    if (!isSuccess(response)) return {nullptr, failureOf(asked, response)};
    auto object = json::parse(response.body, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) {
      return {nullptr, Failure{0,
                               "",
                               asked + ": the server answered " + std::to_string(response.status) +
                                   ", but the body is not a JSON object",
                               {}}};
    }
    return {std::make_shared<const json>(std::move(object)), {}};
  }

  /// One request with its further tries.
  Response ask(const Request& request, const std::string& asked) {
    Duration waited{};
    for (int tried = 0;; ++tried) {
      if (options_.throttle && !options_.throttle(stop_)) return stopped();
      Response response = transport_.send(request, options_.timeout, stop_);
      if (isSuccess(response)) return response;
      const auto wait = waitBeforeNext(request.method, failureOf(asked, response), tried);
      if (!wait || stop_.stop_requested()) return response;
      waited += *wait;
      if (waited > kMostWaiting) return response;
      if (!options_.sleep(*wait, stop_)) return response;
    }
  }

  std::optional<Duration> waitBeforeNext(Method method, const Failure& failure, int tried) {
    // A write is sent again only where the server said that it did nothing.
    const bool may_repeat = method == Method::kGet ? failure.isTransient() : failure.status == 429;
    const int allowed = failure.retry_after ? kRetriesWhenTold : kRetries;
    if (!may_repeat || tried >= allowed) return std::nullopt;
    const Duration base = doubled(kFirstWait, kLongestWait, tried);
    const float random = options_.jitter(draws_.fetch_add(1, std::memory_order_relaxed));
    // Not earlier than told, and not all at once.
    if (failure.retry_after) return *failure.retry_after + scaled(kFirstWait, random);
    return scaled(base, random);
  }

  static Response stopped() {
    Response response;
    response.error = "stopped";
    response.is_unsent = true;
    response.is_stopped = true;
    return response;
  }

  Transport& transport_;  // outlives us
  const ClientOptions options_;
  const std::stop_token stop_;
  std::atomic<std::uint64_t> draws_ = 0;  // a counter only
};

}  // namespace

std::unique_ptr<Client> makeClient(Transport& transport, ClientOptions options,
                                   std::stop_token stop) {
  return std::make_unique<RestClient>(transport, std::move(options), std::move(stop));
}

std::unique_ptr<Client> makeClient(Transport& transport, Throttle throttle, std::stop_token stop) {
  ClientOptions options;
  options.throttle = std::move(throttle);
  return makeClient(transport, std::move(options), std::move(stop));
}

}  // namespace sumac::kube
