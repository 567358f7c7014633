#define BOOST_TEST_MODULE sumac
#include <boost/test/unit_test.hpp>
