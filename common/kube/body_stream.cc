#include "common/kube/body_stream.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "common/kube/transport.h"

namespace sumac::kube {
namespace {

class BodyBuffer final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  explicit BodyBuffer(std::shared_ptr<HttpExchange> exchange)
      : streambuf_state_manager<uint8_t>(std::ios_base::out), exchange_(std::move(exchange)) {}

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(size_t, std::ios_base::openmode) override {}
  size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return traits::eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return traits::eof();
  }
  bool acquire(uint8_t*& pointer, size_t& count) override {
    pointer = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, size_t) override {}

 protected:
  pplx::task<size_t> _putn(const uint8_t* bytes, size_t count) override {
    // The library reads a chunk of "-1" bytes as one of 2^64-1.
    if (count > kMostAnswer) {
      return pplx::task_from_exception<size_t>(std::runtime_error("a chunk has no valid length"));
    }
    const pplx::task_completion_event<size_t> taken;
    const auto resume = [taken, count](bool go_on) {
      if (go_on) {
        taken.set(count);
      } else {
        taken.set_exception(std::runtime_error("the reader has left"));
      }
    };
    const std::string_view view(reinterpret_cast<const char*>(bytes), count);
    switch (exchange_->offer(view, resume)) {
      case HttpExchange::Taken::kContinue: return pplx::task_from_result(count);
      case HttpExchange::Taken::kWaitForResume: return pplx::create_task(taken);
      case HttpExchange::Taken::kRefused: break;
    }
    return pplx::task_from_exception<size_t>(std::runtime_error("the reader has left"));
  }
  pplx::task<int_type> _putc(uint8_t byte) override {
    return _putn(&byte, 1).then([byte](size_t) { return static_cast<int_type>(byte); });
  }

  pplx::task<int_type> _bumpc() override { return nothing(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return nothing(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return nothing(); }
  pplx::task<int_type> _ungetc() override { return nothing(); }
  pplx::task<size_t> _getn(uint8_t*, size_t) override { return pplx::task_from_result<size_t>(0); }
  size_t _scopy(uint8_t*, size_t) override { return 0; }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }
  uint8_t* _alloc(size_t) override { return nullptr; }
  void _commit(size_t) override {}

 private:
  static pplx::task<int_type> nothing() { return pplx::task_from_result<int_type>(traits::eof()); }

  std::shared_ptr<HttpExchange> exchange_;
};

}  // namespace

concurrency::streams::ostream bodyStream(std::shared_ptr<HttpExchange> exchange) {
  return concurrency::streams::ostream(
      concurrency::streams::streambuf<uint8_t>(std::make_shared<BodyBuffer>(std::move(exchange))));
}

}  // namespace sumac::kube
